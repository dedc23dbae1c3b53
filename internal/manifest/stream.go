package manifest

import (
	"fmt"
	"io"
	"strings"
)

// Each calls f for every object of the stream, in order. A stream is any number of JSON objects one after
// another, with white space between them.
//
// An object with a field "items" that is an array is a list. Each then calls f for its elements instead.
// Elements of a typed list ("PodList") that have no kind get theirs from the list. If the kind of the list
// comes after its items, as it does with sorted keys, such elements are held back until it is known, at most 64
// MB of them, and come after the elements that have a kind. An element is a list by the same rule, unless a
// kind before its items says that it is something else. Lists may be nested ten deep.
//
// Each stops at the first error: an error of f, an error of r, or an [ErrSyntax]. A nil reader is an
// [ErrSyntax], and so is a stream without an object, because the program that was to write it has failed.
// Memory is bounded by the largest single object, which may have 8 MB, and by the elements that are held back.
func Each(r io.Reader, f func(Item) error) error {
	if r == nil {
		return &refusal{text: "there is no reader"}
	}

	s := &scanner{r: r, mark: -1}
	for n := 1; ; n++ {
		c, err := s.peek()
		switch {
		case err == io.EOF && n == 1:
			return &refusal{text: "there is nothing in it"}
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}

		if c != '{' {
			return s.strange(c)
		}
		if err := s.one(Item{Where: fmt.Sprintf("document %d", n), Single: true}, 0, f); err != nil {
			return unexpectedEnd(err)
		}
	}
}

// mostNested is the largest number of lists that may be around a list.
const mostNested = 10

// one reads an object that may be a list, and calls f for it or for its elements. it.Kind is the kind that the
// list around it gives its elements, and depth is the number of lists around it.
func (s *scanner) one(it Item, depth int, f func(Item) error) error {
	// The text is kept from here on until the object turns out to be a list.
	s.mark = s.pos
	l := list{depth: depth + 1}
	if !it.Single {
		l.where = it.Where + "."
	}

	hasItems, noItems := false, false
	err := s.object(func(key []byte) error {
		isKind, isItems := string(key) == "kind", string(key) == "items"
		c, err := s.peek()
		if err != nil {
			return err
		}

		switch {
		case isKind && c == '"':
			it.Kind, err = s.text()
			return err
		case isItems && c == '[' && (it.Single || listLike(it.Kind)):
			hasItems = true
			s.mark = -1
			l.kind = it.Kind
			return s.items(&l, f)
		case isItems && c == 'n':
			noItems = true
		}
		return s.skip()
	})
	if err != nil {
		return err
	}

	// A List without items, or with null in their place, is an empty list and no object.
	it.Raw = s.since()
	if hasItems || it.Kind == "List" || noItems && listLike(it.Kind) {
		return l.late.give(l.where, elementKind(it.Kind), f)
	}
	return f(it)
}

// listLike reports whether an object of the kind may be a list. An empty kind is not known, and may be.
func listLike(kind string) bool { return kind == "" || strings.HasSuffix(kind, "List") }

// list is a list whose elements are being read.
type list struct {
	// kind is the kind of the list, empty while it is not known.
	kind string
	// where is the prefix of the places of the elements.
	where string
	// depth is the number of lists around an element.
	depth int
	// late are the elements that wait for the kind of the list.
	late held
}

// elementKind returns the kind of the elements of a typed list, such as Pod for PodList. It is empty for any
// other kind.
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

// items reads the elements of a list. It calls f for each, or holds it back if its kind is not known yet.
func (s *scanner) items(l *list, f func(Item) error) error {
	if l.depth > mostNested+1 {
		return &refusal{text: fmt.Sprintf("%sitems: lists stand in lists more than %d deep", l.where, mostNested)}
	}

	i := -1
	return s.array(func() error {
		i++
		c, err := s.peek()
		if err != nil {
			return err
		}
		it := Item{Kind: elementKind(l.kind), Where: l.where + elementAt(i)}
		if c == '{' {
			return s.one(it, l.depth, func(found Item) error {
				// An object with another place is an element of a nested list, and is not held back here.
				if l.kind == "" && found.Kind == "" && found.Where == it.Where {
					return l.late.add(i, found.Raw)
				}
				return f(found)
			})
		}

		// An element that is no object is passed on as well, so that a message can name its place.
		s.mark = s.pos
		if err := s.skip(); err != nil {
			return err
		}
		it.Raw = s.since()
		return f(it)
	})
}

// unexpectedEnd returns an error of reading an object. The end of the stream becomes a fault of the input,
// because it came inside the object.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: the input ends inside an object", ErrSyntax)
	}
	return err
}
