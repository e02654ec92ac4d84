; What C++ has beyond C.

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (_) @name)])
] body: (_)) @class
(struct_specifier name: [
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (_) @name)])
] body: (_)) @struct
(namespace_definition name: [
  (namespace_identifier) @name
  (nested_namespace_specifier) @name
]) @module
(alias_declaration name: (_) @name) @type
(namespace_alias_definition name: (_) @name) @module
(concept_definition name: (_) @name) @trait

(lambda_expression) @local

; References.

(namespace_identifier) @identifier
(call_expression function: [
  (qualified_identifier name: (identifier) @call)
  (qualified_identifier name: (qualified_identifier name: (identifier) @call))
  (template_function name: (identifier) @call)
  (qualified_identifier name: (template_function name: (identifier) @call))
  (field_expression field: (template_method name: (field_identifier) @call))
])
(new_expression type: [
  (type_identifier) @call
  (qualified_identifier name: (type_identifier) @call)
  (qualified_identifier name: (template_type name: (_) @call))
  (template_type name: (_) @call)
])
(using_declaration) @import

; Names that are bound locally.

(for_range_loop declarator: (_) @bound)
(structured_binding_declarator) @bound
(template_parameter_list) @bound
