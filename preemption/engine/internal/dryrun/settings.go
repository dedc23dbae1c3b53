package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Settings is engine.Config as the engine reads it, which documents the fields.
type Settings struct {
	Release    outrank.Release
	Filters    []*preemption.Filter
	Workers    int
	Variant    outrank.Variant
	Policy     preemption.Policy
	Plugins    preemption.Plugins
	Sample     *preemption.Sample
	Schedulers []string
	Extenders  []preemption.Extender
	MayPreempt func(pod *outrank.Pod, nominated preemption.Status, by preemption.Ineligibility) preemption.Ineligibility
	MayEvict   func(preemptor, victim *outrank.Pod) bool
	MayTake    func(preemptor, victim *outrank.Pod) (rule string)
	Guard      *preemption.Guard
	Importance func(a, b *outrank.Pod) int
	Cost       func(victim *outrank.Pod) int64
	Chooser    *Chooser
	Scorers    []preemption.Scorer
}

// CheckRelease reports a snapshot of another release than the configuration asks for.
func (c *Settings) CheckRelease(snap *state.Snapshot) error {
	if c.Release != 0 && c.Release != snap.Of {
		return fmt.Errorf("preemption config: Release: %w: %v is asked for, and the snapshot is of %v", outrank.ErrInvalid, c.Release, snap.Of)
	}
	return nil
}

// AnyPriority reports whether pods of any priority may be evicted.
func (c *Settings) AnyPriority() bool { return c.Chooser != nil && c.Chooser.AnyPriority }
