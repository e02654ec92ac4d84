; Definitions. A method belongs to the type of its receiver.

(function_declaration name: (_) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (generic_type type: (_) @container)
    (pointer_type [(type_identifier) @container (generic_type type: (_) @container)])
  ]))
  name: (_) @name) @method
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(field_declaration name: (_) @name) @field
(method_elem name: (_) @name) @method
(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @variable
(package_clause (package_identifier) @name) @module
(short_var_declaration left: (expression_list (identifier) @name)) @variable
(range_clause left: (expression_list (identifier) @name)) @variable

(func_literal) @local

; References.

[(identifier) (type_identifier) (field_identifier) (package_identifier)] @identifier
(call_expression function: [
  (identifier) @call
  (selector_expression field: (_) @call)
  (parenthesized_expression (identifier) @call)
])
(import_spec) @import

; Names that are bound locally.

(parameter_list) @bound
(type_parameter_list) @bound
(type_switch_statement alias: (_) @bound)
(receive_statement left: (_) @bound)
