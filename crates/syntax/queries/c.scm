; Definitions, those of C++ too. The name stands somewhere in the declarator.

(function_definition declarator: (_) @declarator) @function
(preproc_function_def name: (_) @name) @macro
(preproc_def name: (_) @name) @macro
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (_) @name) @variant
(type_definition declarator: (_) @declarator) @type
(field_declaration declarator: (_) @declarator) @field
(declaration declarator: (_) @declarator) @variable

; References.

[(identifier) (type_identifier) (field_identifier)] @identifier
(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
])
