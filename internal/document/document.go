// Package document answers how a document and its parts look as JSON, from one list of members for
// each of them, by which they are written and read. So the Go types are free of it: a list and
// what it leaves out are one value in Go and two members in JSON, and what follows from other members is
// written and not kept.
//
// It has the parts, too, that all documents share: what stands for the pods, budgets and groups that an
// answer points to, and how times and durations are written, so that a reader meets one form. An answer
// refers to objects; it does not hold them. A reference has what identifies the object and the figures
// that the decision went by.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/outrank-go/outrank"
)

// Object is a JSON object: its members in the order in which they are written and read.
type Object []Member

// Member is a member of an object, or several that one value makes.
type Member struct {
	name string
	// value returns what is written, and is nil for a member that is only read; ok is false where the
	// member is left out.
	value func() (v any, ok bool)
	// read takes what was written. It is nil for a member that follows from others.
	read func(text []byte) error
	// absent is called where there is nothing to read; nil does nothing.
	absent func()
	// several are the members, where they are several.
	several Object
}

// Names lists the members, also those that would be left out.
func (o Object) Names() []string {
	var names []string
	for _, m := range o {
		if m.several != nil {
			names = append(names, m.several.Names()...)
		} else {
			names = append(names, m.name)
		}
	}
	return names
}

// Marshal returns the object in one line.
func Marshal(o Object) ([]byte, error) {
	var b bytes.Buffer
	if err := o.write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (o Object) write(b *bytes.Buffer) error {
	b.WriteByte('{')
	first := true
	err := o.each(func(m *Member) error {
		if m.value == nil {
			return nil
		}
		v, ok := m.value()
		if !ok {
			return nil
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(b, "%q:", m.name)
		return write(b, v)
	})
	b.WriteByte('}')
	return err
}

// each calls f with the members one by one, until it fails.
func (o Object) each(f func(m *Member) error) error {
	for i := range o {
		var err error
		if o[i].several != nil {
			err = o[i].several.each(f)
		} else {
			err = f(&o[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes an object, a list of objects, or any other value as package json does. Who asks for the JSON
// says whether it is escaped for a page.
func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case Object:
		return v.write(b)
	case []Object:
		b.WriteByte('[')
		for i, o := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := o.write(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder ends the line
	return nil
}

// Unmarshal reads what [Marshal] returns of an object. Members that are not known are passed over, and
// those that are missing or null leave their values as they are. The error is an
// *[outrank.InputError] about the document of a name. null changes nothing.
func Unmarshal(text []byte, name string, o Object) error {
	if string(text) == "null" {
		return nil
	}
	err := o.read(text)
	if err == nil {
		return nil
	}
	p := outrank.Problem{Object: name, Text: err.Error()}
	if at, ok := err.(*memberError); ok {
		p.Field, p.Text = at.path, at.err.Error()
	}
	return &outrank.InputError{Problems: []outrank.Problem{p}}
}

func (o Object) read(text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	return o.each(func(m *Member) error {
		raw, there := members[m.name]
		if there && string(raw) != "null" {
			if m.read == nil {
				return nil
			}
			return within(m.name, m.read(raw))
		}
		if m.absent != nil {
			m.absent()
		}
		return nil
	})
}

// memberError is an error with where it is: a path such as "victims[2].pod".
type memberError struct {
	path string
	err  error
}

func (e *memberError) Error() string { return e.path + ": " + e.err.Error() }

// within puts a step before the path of an error.
func within(step string, err error) error {
	if err == nil {
		return nil
	}
	at, ok := err.(*memberError)
	switch {
	case !ok:
		return &memberError{step, err}
	case strings.HasPrefix(at.path, "["):
		return &memberError{step + at.path, at.err}
	}
	return &memberError{step + "." + at.path, at.err}
}

// empty reports whether a value is left out where it may be: as package json does it by omitempty and omitzero.
func empty(v any) bool {
	if v, ok := v.(interface{ IsZero() bool }); ok {
		return v.IsZero()
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Map:
		return r.Len() == 0
	}
	return r.IsZero()
}
