; Definitions.

(function_definition name: (_) @name) @function
(declaration_command
  "readonly"
  [(variable_assignment name: (variable_name) @name) (variable_name) @name]) @constant
(variable_assignment name: (variable_name) @name) @variable
(command
  name: (command_name) @_alias
  argument: [
    (concatenation . (word) @name)
    (word) @name
  ]
  (#eq? @_alias "alias")) @function
(for_statement variable: (variable_name) @name) @variable

(declaration_command "local") @local

; What broken code still shows.
(ERROR (word) @name @function . "(" . ")")

; References. A word is a name only if it looks like one.

(variable_name) @identifier
((word) @identifier (#match? @identifier "^[A-Za-z_][A-Za-z0-9_:.-]*$"))
(command name: (command_name (word) @call))
(command
  name: (command_name (word) @_source)
  argument: (word) @import
  (#any-of? @_source "source" "."))
