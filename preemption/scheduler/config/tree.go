package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/outrank-go/outrank"
)

// mostBytes is the largest size of a file, mostDepth the largest depth of nesting in it.
const (
	mostBytes = 1 << 20
	mostDepth = 50
)

// value is one JSON value.
type value struct {
	// kind is '{', '[', '"', '0' for a number, 'b' for a boolean, 'n' for null.
	kind byte
	// text is the string, or the number or boolean as it is written in the file.
	text string
	// list has the elements of a list, and fields the fields of an object.
	list   []value
	fields []field
}

// field is a field of an object.
type field struct {
	name  string
	value value
}

// kind is the kind of object that the file must have, and its name in messages.
const kind = "KubeSchedulerConfiguration"

// parse reads one JSON object and nothing else. Repeated fields are an error, as in kube-scheduler. Errors are
// of type *[outrank.InputError], or come from r.
func parse(r io.Reader) (value, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return value{}, err
	}
	if len(text) > mostBytes {
		return value{}, unreadable("larger than %d MiB", mostBytes>>20)
	}

	// A file may begin with a byte order mark.
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return value{}, unreadable("empty")
	}
	if text[0] != '{' {
		return value{}, unreadable("not a JSON object; YAML has to be converted first: yq -o=json . FILE")
	}

	p := parser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return value{}, unreadable("not JSON: %v", err)
	}
	if _, err := p.Token(); err != io.EOF {
		return value{}, unreadable("something follows the object")
	}
	return v, nil
}

// unreadable returns an error about the file as a whole.
func unreadable(format string, args ...any) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: kind, Text: fmt.Sprintf(format, args...)}}}
}

// parser reads values from the tokens of a file.
type parser struct{ *json.Decoder }

// value reads one value, depth levels below the whole file.
func (p *parser) value(depth int) (value, error) {
	if depth > mostDepth {
		return value{}, fmt.Errorf("nested deeper than %d", mostDepth)
	}
	token, err := p.Token()
	if err != nil {
		return value{}, unexpected(err)
	}
	switch x := token.(type) {
	case json.Delim:
		if x == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return value{kind: '"', text: x}, nil
	case json.Number:
		return value{kind: '0', text: string(x)}, nil
	case bool:
		return value{kind: 'b', text: fmt.Sprint(x)}, nil
	}
	return value{kind: 'n'}, nil
}

// object reads the rest of an object whose opening brace was read.
func (p *parser) object(depth int) (value, error) {
	v := value{kind: '{'}
	taken := map[string]bool{}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return value{}, unexpected(err)
		}
		name, _ := token.(string)
		if taken[name] {
			return value{}, fmt.Errorf("the field %q is given twice", cut(name))
		}
		taken[name] = true

		x, err := p.value(depth + 1)
		if err != nil {
			return value{}, err
		}
		v.fields = append(v.fields, field{name, x})
	}
	_, err := p.Token()
	return v, unexpected(err)
}

// array reads the rest of a list whose opening bracket was read.
func (p *parser) array(depth int) (value, error) {
	v := value{kind: '['}
	for p.More() {
		x, err := p.value(depth + 1)
		if err != nil {
			return value{}, err
		}
		v.list = append(v.list, x)
	}
	_, err := p.Token()
	return v, unexpected(err)
}

// unexpected returns the error, but io.ErrUnexpectedEOF for io.EOF, which comes in the middle of a value here.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cut shortens a text from the file for use in messages.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
