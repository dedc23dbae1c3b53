package main

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// happened is what the changes did before the question is asked; nil without changes.
type happened struct {
	changes, short []string
	before         *question.Aftermath
}

// happened has the changes of a scene.
func (s *scene) happened() *happened {
	if s.scenario == nil {
		return nil
	}
	h := &happened{before: s.before}
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
	if h.before == nil || len(h.before.Moves) == 0 {
		return
	}
	n := &h.before.Totals
	text := fmt.Sprintf("%d found a place", n.Placed+n.PushesOut+n.Taken)
	if n.Victims > 0 {
		text += fmt.Sprintf(", pushing out %s", plural(n.Victims, "pod"))
	}
	if n.Waits > 0 {
		text += ", " + subject(n.Waits, "stays pending", "stay pending")
	}
	p.Line("  before it  %s had a turn: %s", plural(len(h.before.Moves), "pod"), text)
}
