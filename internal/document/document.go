// Package document answers how a document and its parts look as JSON. Each part has one list of members, by
// which it is both written and read. So Go types and JSON may differ: a list and the number of entries that it
// leaves out are one value in Go and two members in JSON, and a member that follows from others is written
// but not kept in Go.
//
// The package also has the parts that all documents share: references to pods, budgets and groups, and the
// forms of times and durations. An answer refers to objects and does not hold them. A reference identifies the
// object, and has the figures that the decision was based on.
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

// Member is a member of an object, or several members that belong together.
type Member struct {
	name string
	// value returns the value to write; ok is false if the member is left out. The function is nil for a
	// member that is only read.
	value func() (v any, ok bool)
	// read reads the text of the member. It is nil for a member that follows from others.
	read func(text []byte) error
	// absent, unless it is nil, is called if the member is missing or null.
	absent func()
	// several are the members that this one stands for; the other fields are then not used. It is nil for a
	// single member.
	several Object
}

// Names lists the names of all members, even of members that would be left out.
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

// write writes the object as JSON, on one line.
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

// each calls f with one member after the other, until f fails.
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

// write writes an object or a list of objects. Any other value it writes like package json, but without the
// escapes for HTML: package json adds them later if its caller wants them.
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
	b.Truncate(b.Len() - 1) // drops the end of the line that the encoder writes
	return nil
}

// Unmarshal reads the text that [Marshal] returns. Unknown members are ignored. Members that are missing or
// null leave their values as they are, and null in place of the object leaves all of them. The error is an
// *[outrank.InputError] about the document with this name.
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

// read reads the members in the order of the object, whatever their order in the text. So a member may rely on
// the members before it.
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

// memberError is an error in a member.
type memberError struct {
	// path leads to the member, such as "victims[2].pod".
	path string
	err  error
}

// Error returns the text of the error, after its path.
func (e *memberError) Error() string { return e.path + ": " + e.err.Error() }

// within puts a step before the path of an error; nil stays nil.
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

// empty reports whether an optional value is left out. It is if package json would leave it out with omitempty
// or omitzero.
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
