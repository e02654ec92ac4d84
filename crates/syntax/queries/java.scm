; Definitions.

(package_declaration [(identifier) (scoped_identifier)] @name) @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_constant name: (_) @name) @variant
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @field))
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (_) @name)) @constant
  (#match? @_modifiers "static[^@]*final|final[^@]*static"))
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @variable

(lambda_expression) @local
(static_initializer) @local
(block) @local

; References.

[(identifier) (type_identifier)] @identifier
(method_invocation name: (_) @call)
(object_creation_expression type: [
  (type_identifier) @call
  (generic_type (type_identifier) @call)
  (scoped_type_identifier (type_identifier) @call .)
])
(method_reference (identifier) @call .)
(import_declaration) @import

; Names that are bound locally.

(formal_parameters) @bound
(inferred_parameters) @bound
(lambda_expression parameters: (identifier) @bound)
(type_parameters) @bound
(catch_formal_parameter name: (_) @bound)
(enhanced_for_statement name: (_) @bound)
(resource name: (_) @bound)
(instanceof_expression name: (_) @bound)
(type_pattern (identifier) @bound)
(record_pattern_component (identifier) @bound)
