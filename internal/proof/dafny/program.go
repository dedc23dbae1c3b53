package dafny

import (
	"fmt"
	"slices"
)

// Program holds the definitions of some files. It is not changed once it was read, so that calls may run at once.
type Program struct {
	functions    map[string]*function
	constructors map[string][]string // the names of the fields
}

// File is a file of definitions.
type File struct{ Name, Text string }

// function is a definition.
type function struct {
	name       string
	parameters []string
	body       expression
	// slots is how many names the body knows at most at once, parameters among them.
	slots int
}

// Read reads files. Each may use what any other defines. Include lines are left out: the caller gives all files.
func Read(files ...File) (p *Program, err error) {
	defer caught(&err)
	p = &Program{functions: map[string]*function{}, constructors: map[string][]string{}}

	// Bodies are read once all names are known, because a definition may use a later one.
	var bodies []*reader
	for _, f := range files {
		bodies = append(bodies, p.declare(f)...)
	}
	for _, r := range bodies {
		r.readBody()
	}
	return p, nil
}

// Functions lists the names of all functions, in alphabetical order.
func (p *Program) Functions() []string {
	var names []string
	for name := range p.functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call returns what a function gives for some values.
func (p *Program) Call(name string, args ...Value) (result Value, err error) {
	defer caught(&err)
	f := p.functions[name]
	if f == nil {
		return nil, fmt.Errorf("there is no function %s", name)
	}
	return f.call(args), nil
}

// Make returns a value of a datatype by its constructor.
func (p *Program) Make(constructor string, fields ...Value) (*Data, error) {
	names, ok := p.constructors[constructor]
	if !ok || len(names) != len(fields) {
		return nil, fmt.Errorf("there is no constructor %s with %d fields", constructor, len(fields))
	}
	return &Data{Constructor: constructor, Fields: fields, names: names}, nil
}

// call carries a function out.
func (f *function) call(args []Value) Value {
	if len(args) != len(f.parameters) {
		fail("%s takes %d values, not %d", f.name, len(f.parameters), len(args))
	}
	frame := make(frame, f.slots)
	copy(frame, args)
	return f.body.eval(frame)
}
