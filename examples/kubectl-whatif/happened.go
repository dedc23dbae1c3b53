package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
)

// happened tells what the changes did before the question is asked. It is nil without changes.
type happened struct {
	// changes lists the changes as one would type them; short has them shortened for a heading.
	changes, short []string
	// before is what the changes set in motion before the turn of the pod in question.
	before *question.Aftermath
	// forbidden lists pods that quotas keep from being created. It is empty if the answer lists them itself.
	forbidden []quotas.Forbidden
	// resizes tells how the resizes among the changes ended. It is empty if the answer tells it itself.
	resizes []question.Resized
}

// forbidden lists the pods of the changes that quotas keep from being created.
func (s *scene) forbidden() []quotas.Forbidden {
	if s.scenario == nil {
		return nil
	}
	return s.scenario.Forbidden()
}

// unmade reports whether a change could not be made: a quota keeps a pod from being created, or a resize is not
// done.
func (s *scene) unmade() bool {
	// The answers about changes judge resizes themselves.
	if s.scenario == nil || s.ask == askChange || s.ask == askWithout {
		return len(s.forbidden()) > 0
	}
	return len(s.forbidden()) > 0 || slices.ContainsFunc(s.scenario.Resizes(), func(r question.Resized) bool { return r.Open() })
}

// happened returns what the changes of a scene did. It is nil without a scenario.
func (s *scene) happened() *happened {
	if s.scenario == nil {
		return nil
	}
	h := &happened{before: s.before}
	if s.ask != askChange && s.ask != askWithout {
		h.forbidden, h.resizes = s.forbidden(), s.scenario.Resizes()
	}
	for _, f := range s.opts.changes {
		h.changes = append(h.changes, f.String())
		h.short = append(h.short, f.short())
	}
	return h
}

// write prints the changes, and which pods had a turn before the pod in question.
func (h *happened) write(p console.Page) {
	if h == nil || len(h.short) == 0 {
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

	// These pods had their turns before the pod in question.
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
