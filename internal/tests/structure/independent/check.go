package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// sharing is what both sides reach, and what the listing says about it.
type sharing struct {
	dir     string
	calls   *structure.Calls
	book    *structure.Reached
	engine  *structure.Reached
	entries []entry
	tests   *tests
}

// read reads the listing, and follows the calls of both sides in the module that contains a folder.
func read(dir string) (*sharing, error) {
	s := &sharing{dir: dir}
	var err error
	if s.entries, err = readListing(filepath.Join(dir, listingFile)); err != nil {
		return nil, err
	}
	if s.calls, err = structure.ReadCalls(dir, append(book.packages(), engine.packages()...)...); err != nil {
		return nil, err
	}
	if s.book, err = book.reached(s.calls); err != nil {
		return nil, err
	}
	if s.engine, err = engine.reached(s.calls); err != nil {
		return nil, err
	}
	s.tests, err = newTests(dir)
	return s, err
}

// both lists what both sides reach, sorted by name.
func (s *sharing) both() (units []*structure.Unit) {
	for _, u := range s.book.Units() {
		if s.engine.Has(u.Name) {
			units = append(units, u)
		}
	}
	return units
}

// problems lists, as sentences, what the sides share although they must not, and where the listing is wrong.
func (s *sharing) problems() (said []string) {
	said = append(strays(book, s.book, engine), strays(engine, s.engine, book)...)
	if len(said) > 0 {
		return said // one side calls the other, and so shares nearly all of it: listing that helps nobody
	}
	said = append(said, s.unlisted()...)

	for i, e := range s.entries {
		if i > 0 && s.entries[i-1].name >= e.name {
			said = append(said, fmt.Sprintf("line %d lists %s behind %s, and the order is that of the names", e.line, e.name, s.entries[i-1].name))
		}
		said = append(said, s.unreached(e)...)
		if e.says == "" {
			said = append(said, fmt.Sprintf("line %d does not say what %s is for", e.line, e.name))
		}
		if e.decides != (len(e.faults) > 0) {
			said = append(said, fmt.Sprintf("line %d: what decides has a fault that its judge sees, and nothing else has one; not so %s", e.line, e.name))
		}

		for _, f := range e.faults {
			said = append(said, s.unplanted(e, f)...)
			said = append(said, s.tests.problems(e, f)...)
		}
	}
	return said
}

// strays lists the places where a side enters what belongs to the other side. What it reaches from there is
// left out.
func strays(of side, reached *structure.Reached, other side) (said []string) {
	for _, u := range reached.Units() {
		if from := reached.From(u); other.owns(u) && (from == nil || !other.owns(from)) {
			said = append(said, fmt.Sprintf("%s reaches %s, which is %s's: %s", of.name, u.Name, other.name, way(reached, u.Name)))
		}
	}
	return said
}

// way describes how a function is reached, from a root to it.
func way(reached *structure.Reached, name string) string {
	return strings.Join(reached.Way(name), " > ")
}

// unlisted lists what both sides reach and the listing does not have.
func (s *sharing) unlisted() (said []string) {
	listed := map[string]bool{}
	for _, e := range s.entries {
		listed[e.name] = true
	}
	for _, u := range s.both() {
		if !listed[u.Name] && !book.owns(u) && !engine.owns(u) {
			said = append(said, fmt.Sprintf("the book and the engine both reach %s, and %s does not list it: %s; %s",
				u.Name, listingFile, way(s.book, u.Name), way(s.engine, u.Name)))
		}
	}
	return said
}

// unreached lists the sides that do not reach a function of the listing.
func (s *sharing) unreached(e entry) (said []string) {
	if s.calls.Unit(e.name) == nil {
		return []string{fmt.Sprintf("line %d lists %s, and there is no such function", e.line, e.name)}
	}
	if !s.book.Has(e.name) {
		said = append(said, fmt.Sprintf("line %d lists %s, which the book does not reach", e.line, e.name))
	}
	if !s.engine.Has(e.name) {
		said = append(said, fmt.Sprintf("line %d lists %s, which the engine does not reach", e.line, e.name))
	}
	return said
}

// unplanted says why a fault of an entry cannot be planted, if so.
func (s *sharing) unplanted(e entry, f fault) []string {
	u := s.calls.Unit(e.name)
	if u == nil {
		return nil // unreached says so already
	}
	source, err := os.ReadFile(u.File)
	if err != nil {
		return []string{err.Error()}
	}
	if n := strings.Count(string(source[u.Begin:u.End]), f.plain); n != 1 {
		return []string{fmt.Sprintf("line %d: `%s` stands %d times in the source of %s, and not once", f.line, f.plain, n, e.name)}
	}
	if f.plain == f.planted {
		return []string{fmt.Sprintf("line %d: the fault of %s changes nothing", f.line, e.name)}
	}
	return nil
}
