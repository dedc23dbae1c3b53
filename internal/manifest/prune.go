package manifest

import (
	"io"
	"reflect"
	"sync"
)

// Most of an object is of no interest here, and skipping a field is many times
// faster than decoding it. So fields that the wire type does not name are cut
// away before the decoder of the standard library gets an object that a quick
// reader gave up on.

// shape names the parts of a value to keep: fields of an object, each by a
// shape of its own, or parts of every element of an array; nil keeps all of it.
type shape struct {
	fields  map[string]*shape
	element *shape
}

var shapes sync.Map // of reflect.Type to *shape

// named keeps the parts by which messages name an object.
var named = &shape{fields: map[string]*shape{"metadata": {fields: map[string]*shape{"name": nil, "namespace": nil}}}}

// shapeFor returns the shape of a type's fields.
func shapeFor(t reflect.Type) *shape {
	sh, ok := shapes.Load(t)
	if !ok {
		sh, _ = shapes.LoadOrStore(t, shapeOf(t))
	}
	return sh.(*shape)
}

// pruned returns raw without the fields that the shape does not name. It returns
// raw itself if that cannot be read, so that the decoder finds the reason. The
// error is that there are too many parts.
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

func shapeOf(t reflect.Type) *shape {
	if readsItself(t) {
		return nil
	}
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

// pruner copies the parts to keep.
type pruner struct {
	scanner
	out   []byte
	parts int // of all lists so far
}

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
