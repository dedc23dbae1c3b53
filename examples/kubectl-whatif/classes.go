package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// nodeKnown refuses an unknown node, and offers those with names like it.
func (s *scene) nodeKnown(flag, name string) error {
	var known []string
	for _, n := range s.cluster.Nodes {
		if n.Name == name {
			return nil
		}
		known = append(known, n.Name)
	}
	near := nearNames(known, name)
	return fmt.Errorf("--%s %s: there is no such node in the dump%s", flag, name, suggest("; near it: ", near[:min(len(near), mostNear)]))
}

// changedClasses are those of --priorityclass and --set-class. The latter changes the value
// alone.
func (s *scene) changedClasses(stdin io.Reader) ([]*outrank.PriorityClass, error) {
	classes, err := s.opts.readClasses(stdin)
	if err != nil {
		return nil, err
	}
	for _, set := range s.opts.about.setClasses {
		class := &outrank.PriorityClass{Name: set.name}
		for _, c := range s.cluster.Classes {
			if c.Name == set.name {
				*class = *c
			}
		}
		if class.Value = set.value; !s.classKnown(set.name) {
			s.caveats = append(s.caveats, s.newClass(set.name))
		}
		classes = append(classes, class)
	}
	for i, c := range classes {
		if slices.ContainsFunc(classes[:i], func(o *outrank.PriorityClass) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("class %s is given twice", c.Name)
		}
	}
	return classes, nil
}

func (s *scene) classKnown(name string) bool {
	return slices.ContainsFunc(s.cluster.Classes, func(c *outrank.PriorityClass) bool { return c.Name == name })
}

// newClass is about a class that --set-class makes, which may have been meant as a change.
func (s *scene) newClass(name string) Warning {
	var known []string
	for _, c := range s.cluster.Classes {
		known = append(known, c.Name)
	}
	near := nearNames(known, name)
	return Warning{Object: "--set-class " + name, Text: "the dump has no such class, so that this is about a new one" +
		suggest("; near it: ", near[:min(len(near), mostNear)])}
}

// readClasses reads the files of --priorityclass.
func (o *options) readClasses(stdin io.Reader) ([]*outrank.PriorityClass, error) {
	if len(o.about.classFiles) == 0 {
		return nil, nil
	}
	files, err := input.Expand(o.about.classFiles, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--priorityclass: %w", err)
	}
	c, err := readSeveral("--priorityclass", files, func(name string) (io.Reader, func() error, error) {
		r, _, done, err := input.Open(name, stdin)
		return r, done, err
	})
	if err != nil {
		return nil, err
	}
	if len(c.Classes) == 0 {
		return nil, fmt.Errorf("--priorityclass %s holds no PriorityClass", o.about.classFiles[0])
	}
	return c.Classes, nil
}
