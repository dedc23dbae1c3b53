package manifest

import (
	"fmt"
	"io"
	"strings"
)

// Each calls f for every object of the stream, in order. A stream is any
// number of JSON objects one after another, with white space between them; an
// object that has a field "items" with an array is a list, and its elements
// are called for instead. Elements of a typed list ("PodList") that carry no
// kind get theirs from the list. Where the list's kind comes after its items, as
// it does with sorted keys, they are held back until it is known, and called for
// after those that have a kind; 64 MB of them at most. An element is a list by
// the same rule unless a kind that stands before its items says that it is
// something else; lists stand in lists up to ten deep.
//
// It stops at the first error, f's own or one that is [ErrSyntax] or comes
// from r. No reader is such an error, and so is a stream without an object: whatever was to
// write it has failed. Memory is bounded by the largest single object,
// which may have 8 MB, and what is held back.
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
		}
		if err != nil {
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

// mostNested bounds how deep lists may stand in lists.
const mostNested = 10

// one reads an object that may be a list. it.Kind is the kind of elements of the
// list around it, and depth counts the lists around it.
func (s *scanner) one(it Item, depth int, f func(Item) error) error {
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
	it.Raw = s.since()
	if hasItems || it.Kind == "List" || noItems && listLike(it.Kind) {
		return l.late.give(l.where, elementKind(it.Kind), f)
	}
	return f(it)
}

// listLike reports whether an object of the kind, empty for one that is not known,
// may be a list.
func listLike(kind string) bool { return kind == "" || strings.HasSuffix(kind, "List") }

// list is a list whose elements are being read.
type list struct {
	kind  string // empty where it is not known yet
	where string // stands before the places of its elements
	depth int    // lists around its elements
	late  held   // elements that need to know the kind
}

// elementKind is the kind of a typed list's elements: PodList holds Pods.
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

// items reads the elements of a list.
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
				// An element with another place stands in a list that is an element itself.
				if l.kind == "" && found.Kind == "" && found.Where == it.Where {
					return l.late.add(i, found.Raw)
				}
				return f(found)
			})
		}
		s.mark = s.pos
		if err := s.skip(); err != nil {
			return err
		}
		it.Raw = s.since()
		return f(it)
	})
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: the input ends inside an object", ErrSyntax)
	}
	return err
}
