; Definitions. A function in a class or module becomes its method.

(class name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]) @class
(module name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]) @module
(singleton_class) @scope
(method name: (_) @name) @function
(singleton_method name: (_) @name) @method
(alias name: [(identifier) (constant) (operator)] @name) @method
(assignment left: (constant) @name) @constant
(assignment left: (global_variable) @name) @variable
(assignment left: (identifier) @name) @variable
(call
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name @property)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer"))
(call
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "alias_method")) @method

(block) @local
(do_block) @local
(lambda) @local

; References.

[(identifier) (constant) (global_variable) (instance_variable) (class_variable)] @identifier
(call method: [(identifier) (constant)] @call)
(call method: (identifier) @_mixin arguments: (argument_list) @import
  (#any-of? @_mixin "include" "extend" "prepend"))

; Names that are bound locally.

(method_parameters) @bound
(block_parameters) @bound
(lambda_parameters) @bound
(exception_variable) @bound
(for pattern: (_) @bound)
(in_clause pattern: (_) @bound)
(left_assignment_list) @bound
