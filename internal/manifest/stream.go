package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Item is one object of a stream, still as text.
type Item struct {
	// Kind is the object's kind, or what its list says of it.
	Kind string
	// Where names the object's place for messages, "items[3]" or "document 2".
	Where string
	// Raw is the object's text, valid until the callback returns.
	Raw []byte
	// Single is set for an object that stands in no list.
	Single bool
}

// ErrSyntax is wrapped by errors about a stream that is not JSON, and equal to
// those, for errors.Is, about one that cannot be used for another reason.
var ErrSyntax = errors.New("not JSON")

// Each calls f for every object of the stream, in order. A stream is any
// number of JSON objects one after another, with white space between them; an
// object that has a field "items" with an array is a list, and its elements
// are called for instead. Elements of a typed list ("PodList") that carry no
// kind get theirs from the list. Where the list's kind comes after its items, as
// it does with sorted keys, they are held back until it is known, and called for
// after those that have a kind; 64 MB of them at most.
//
// It stops at the first error, f's own or one that is [ErrSyntax] or comes
// from r. Memory is bounded by the largest single object and what is held back.
func Each(r io.Reader, f func(Item) error) error {
	s := &scanner{r: r, mark: -1}
	for n := 1; ; n++ {
		c, err := s.peek()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c != '{' {
			return s.strange(c)
		}
		if err := s.document(fmt.Sprintf("document %d", n), f); err != nil {
			return unexpectedEnd(err)
		}
	}
}

// document reads one object that may be a list.
func (s *scanner) document(where string, f func(Item) error) error {
	s.mark = s.pos
	var kind string
	var late held
	isList := false
	err := s.object(func(key []byte) error {
		isKind, isItems := string(key) == "kind", string(key) == "items"
		c, err := s.peek()
		if err != nil {
			return err
		}
		switch {
		case isKind && c == '"':
			kind, err = s.text()
			return err
		case isItems && c == '[':
			isList = true
			s.mark = -1
			return s.items(kind, &late, f)
		case isItems && c == 'n':
			isList = true
		}
		return s.skip()
	})
	if err != nil {
		return err
	}
	raw := s.since()
	if isList || kind == "List" {
		return late.give(elementKind(kind), f)
	}
	return f(Item{Kind: kind, Where: where, Raw: raw, Single: true})
}

// elementKind is what a typed list says of its elements: PodList holds Pods.
func elementKind(list string) string {
	if list == "List" {
		return ""
	}
	kind, ok := strings.CutSuffix(list, "List")
	if !ok {
		return ""
	}
	return kind
}

// items reads the elements of a list whose kind is list, empty if that is not
// known yet; late takes those that need to know it.
func (s *scanner) items(list string, late *held, f func(Item) error) error {
	i := -1
	return s.array(func() error {
		i++
		return s.element(elementKind(list), elementAt(i), func(it Item) error {
			if list == "" && it.Kind == "" && isObject(it.Raw) {
				return late.add(i, it.Raw)
			}
			return f(it)
		})
	})
}

func (s *scanner) element(kind, where string, f func(Item) error) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	s.mark = s.pos
	if c != '{' {
		err = s.skip()
	} else {
		err = s.object(func(key []byte) error {
			isKind := string(key) == "kind"
			c, err := s.peek()
			if err != nil {
				return err
			}
			if isKind && c == '"' {
				kind, err = s.text()
				return err
			}
			return s.skip()
		})
	}
	if err != nil {
		return err
	}
	return f(Item{Kind: kind, Where: where, Raw: s.since()})
}

func (s *scanner) unexpected(c byte) error {
	if s.wide() {
		return errWide
	}
	at := s.off + int64(s.pos)
	rest := string(s.buf[s.pos:min(len(s.buf), s.pos+64)])
	for _, yaml := range []string{"apiVersion:", "kind:", "---", "items:", "#", "- "} {
		if strings.HasPrefix(rest, yaml) {
			return fmt.Errorf("%w: this looks like YAML; use kubectl's -o json", ErrSyntax)
		}
	}
	return fmt.Errorf("%w: unexpected %q at byte %d", ErrSyntax, c, at)
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: the input ends inside an object", ErrSyntax)
	}
	return err
}
