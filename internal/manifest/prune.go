package manifest

import (
	"io"
	"reflect"
	"sync"
)

// Most fields of an object are not needed here, and skipping a field is many times faster than decoding it. So
// if the quick reader gives up on an object, the fields that the wire type does not name are cut away before
// the decoder of the standard library gets it.

// shape says which parts of a JSON value are kept. A nil shape keeps all of it.
type shape struct {
	// fields are the fields of an object that are kept, each with the shape of its value.
	fields map[string]*shape
	// element is the shape of every element of an array.
	element *shape
}

// shapes caches the shapes of types, as *shape by reflect.Type.
var shapes sync.Map

// named is a shape that keeps only the name and the namespace of an object, for messages.
var named = &shape{fields: map[string]*shape{"metadata": {fields: map[string]*shape{"name": nil, "namespace": nil}}}}

// shapeFor returns the shape of a type's fields.
func shapeFor(t reflect.Type) *shape {
	sh, ok := shapes.Load(t)
	if !ok {
		sh, _ = shapes.LoadOrStore(t, shapeOf(t))
	}
	return sh.(*shape)
}

// pruned returns raw without the fields that the shape does not name. If the text cannot be read, it is
// returned unchanged, so that the decoder finds the reason. The only error is errParts.
func pruned(raw []byte, of *shape) ([]byte, error) {
	p := pruner{scanner: scanner{buf: raw, err: io.EOF, mark: 0}, out: make([]byte, 0, len(raw)/2)}
	switch err := p.value(of); {
	case err == errParts:
		return nil, err
	case err != nil:
		return raw, nil
	}
	if _, err := p.peek(); err != io.EOF {
		return raw, nil
	}
	return p.out, nil
}

// shapeOf returns the shape of a type; nil for a type that is kept whole.
func shapeOf(t reflect.Type) *shape {
	if readsItself(t) {
		return nil
	}

	// A list of plain values is kept whole, as is a map.
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Slice:
		if element := shapeOf(t.Elem()); element != nil {
			return &shape{element: element}
		}
	case reflect.Struct:
		s := &shape{fields: map[string]*shape{}}
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Type == writtenType {
				continue
			}
			s.fields[fieldName(f)] = shapeOf(f.Type)
		}
		return s
	}
	return nil
}

// pruner copies the parts of a text that a shape keeps.
type pruner struct {
	scanner
	out []byte
	// parts counts the parts of all lists so far.
	parts int
}

// value copies the parts of the next value that the shape keeps.
func (p *pruner) value(s *shape) error {
	c, err := p.peek()
	if err != nil {
		return err
	}
	switch {
	case s != nil && s.fields != nil && c == '{':
		return p.members(s)
	case s != nil && s.element != nil && c == '[':
		return p.elements(s)
	}

	from := p.pos
	if err := p.skip(); err != nil {
		return err
	}
	p.out = append(p.out, p.buf[from:p.pos]...)
	return nil
}

// members copies the members of an object that the shape keeps.
func (p *pruner) members(s *shape) error {
	p.out = append(p.out, '{')
	first := true
	err := p.object(func(key []byte) error {
		kept, ok := s.fields[string(key)]
		if !ok {
			return p.skip()
		}

		if !first {
			p.out = append(p.out, ',')
		}
		first = false
		p.out = append(p.out, '"')
		p.out = append(p.out, key...)
		p.out = append(p.out, '"', ':')
		return p.value(kept)
	})
	p.out = append(p.out, '}')
	return err
}

// elements copies the elements of an array. It returns errParts if the object has too many.
func (p *pruner) elements(s *shape) error {
	p.out = append(p.out, '[')
	first := true
	err := p.array(func() error {
		if !first {
			p.out = append(p.out, ',')
		}
		first = false
		if p.parts++; p.parts > mostParts {
			return errParts
		}
		return p.value(s.element)
	})
	p.out = append(p.out, ']')
	return err
}
