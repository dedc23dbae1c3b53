package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
)

// happened is what the changes did before the question is asked; nil without changes.
type happened struct {
	changes, short []string
	before         *question.Aftermath
	// forbidden were not created, which the answer does not say.
	forbidden []quotas.Forbidden
	// resizes are those of the changes, of which the answer does not tell.
	resizes []question.Resized
}

// forbidden are the pods of the changes that quotas keep from being created.
func (s *scene) forbidden() []quotas.Forbidden {
	if s.scenario == nil {
		return nil
	}
	return s.scenario.Forbidden()
}

// unmade reports whether a change was not made: a quota keeps a pod from being created, or a
// resize is not done.
func (s *scene) unmade() bool {
	if s.scenario == nil || s.ask == askChange || s.ask == askWithout { // the answer tells of it
		return len(s.forbidden()) > 0
	}
	return len(s.forbidden()) > 0 || slices.ContainsFunc(s.scenario.Resizes(), func(r question.Resized) bool { return r.Open() })
}

// happened has the changes of a scene.
func (s *scene) happened() *happened {
	if s.scenario == nil {
		return nil
	}
	h := &happened{before: s.before}
	if s.ask != askChange && s.ask != askWithout {
		h.forbidden, h.resizes = s.forbidden(), s.scenario.Resizes()
	}
	for _, f := range s.opts.changes {
		h.changes, h.short = append(h.changes, f.String()), append(h.short, f.short())
	}
	return h
}

// write prints the changes, and who had a turn before the pod in question.
func (h *happened) write(p console.Page) {
	if h == nil {
		return
	}
	if len(h.short) == 0 {
		return
	}
	p.Line("  after      %s", strings.Join(h.short, " "))
	for i := range h.forbidden {
		p.Line("  refused    %s", h.forbidden[i].String())
	}
	for i := range h.resizes {
		p.Line("  resize     %s", strings.TrimPrefix(h.resizes[i].String(), "The resize of "))
	}
	if h.before == nil || len(h.before.Moves) == 0 {
		return
	}
	n := &h.before.Totals
	text := fmt.Sprintf("%d found a place", n.Placed+n.PushesOut+n.Taken)
	if n.Victims > 0 {
		text += fmt.Sprintf(", pushing out %s", console.Plural(n.Victims, "pod"))
	}
	if n.Waits > 0 {
		text += ", " + subject(n.Waits, "stays pending", "stay pending")
	}
	p.Line("  before it  %s had a turn: %s", console.Plural(len(h.before.Moves), "pod"), text)
}
