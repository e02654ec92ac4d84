; Definitions.

(namespace_definition name: (_) @name) @module
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(enum_case name: (_) @name) @variant
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @property
(assignment_expression left: (variable_name (name) @name)) @variable
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string) @name))) @constant
  (#eq? @_define "define"))

(anonymous_function) @local
(arrow_function) @local
(anonymous_class) @scope

; References.

(name) @identifier
(function_call_expression function: [(name) @call (qualified_name (name) @call)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])
(namespace_use_declaration) @import
(use_declaration) @import
