; Definitions, those of TypeScript too. A function as a value is a function under the name it gets.

(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier) (computed_property_name) (string) (number)] @name) @method

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (rest_pattern (identifier) @name)
  ])
  (array_pattern [
    (identifier) @name
    (assignment_pattern left: (identifier) @name)
    (rest_pattern (identifier) @name)
  ])
]) @variable

; `Shape.prototype.draw = function`
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype")) @method
(assignment_expression
  left: (member_expression object: (this) property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (class)) @class
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @method

(arrow_function) @local
(function_expression) @local
(generator_function) @local
(class_static_block) @local

; References.

[
  (identifier)
  (property_identifier)
  (private_property_identifier)
  (shorthand_property_identifier)
  (shorthand_property_identifier_pattern)
] @identifier
(call_expression function: [
  (identifier) @call
  (member_expression property: (_) @call)
])
(new_expression constructor: [
  (identifier) @call
  (member_expression property: (_) @call)
])
(decorator [(identifier) @call (member_expression property: (_) @call)])
(import_statement) @import
(export_statement (export_clause) @import source: (_))
(variable_declarator
  name: (_) @import
  value: (call_expression function: (identifier) @_require)
  (#eq? @_require "require"))

; Names that are bound locally.

(formal_parameters) @bound
(arrow_function parameter: (_) @bound)
(function_expression name: (_) @bound)
(catch_clause parameter: (_) @bound)
(for_in_statement left: (_) @bound)
(variable_declarator name: [(object_pattern) (array_pattern)] @bound)
