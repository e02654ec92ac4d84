; Definitions.

(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @variant
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(operator_declaration operator: _ @name) @method
(indexer_declaration "this" @name) @property
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @property
(event_declaration name: (_) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(record_declaration (parameter_list (parameter name: (_) @name) @property))
((field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (_) @name))) @constant
  (#eq? @_const "const"))
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @name))) @variable

(lambda_expression) @local
(anonymous_method_expression) @local
(accessor_declaration) @local
(block) @local

; References.

(identifier) @identifier
(invocation_expression function: [
  (identifier) @call
  (generic_name (identifier) @call)
  (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
  (conditional_access_expression (member_binding_expression name: [
    (identifier) @call
    (generic_name (identifier) @call)
  ]))
])
(object_creation_expression type: [
  (identifier) @call
  (generic_name (identifier) @call)
  (qualified_name name: (identifier) @call)
])
(using_directive) @import

; Names that are bound locally.

(parameter_list) @bound
(foreach_statement left: (_) @bound)
(catch_declaration name: (_) @bound)
