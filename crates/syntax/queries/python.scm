; Definitions. A function in a class becomes a method, a variable in one a field.

(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type

(assignment left: (identifier) @name right: (lambda)) @function
((assignment left: (identifier) @name) @constant
  (#match? @name "^_*[A-Z][A-Z0-9_]+$"))
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(assignment left: (tuple_pattern (identifier) @name)) @variable
(named_expression name: (identifier) @name) @variable

(lambda) @local

; References.

(identifier) @identifier
(call function: [(identifier) @call (attribute attribute: (_) @call)])
(decorator [(identifier) @call (attribute attribute: (_) @call)])
(import_statement) @import
(import_from_statement) @import

; Names that are bound locally.

(parameters) @bound
(lambda_parameters) @bound
(type_parameter) @bound
(for_statement left: (_) @bound)
(for_in_clause left: (_) @bound)
(as_pattern_target) @bound
(case_pattern) @bound
