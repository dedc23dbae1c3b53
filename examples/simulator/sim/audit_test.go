package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// An audit finds what does not add up, whatever it is.
func TestAuditFinds(t *testing.T) {
	low := func(s *Simulation) *pod { return s.lives.pods["default/low"] }
	for _, tt := range []struct {
		name, want string
		spoil      func(*Simulation)
	}{
		{"nothing", "", func(*Simulation) {}},
		{"an overcommitted node", "n1 has 4000 of cpu, and its pods take 5000", func(s *Simulation) {
			late := s.lives.pods["default/late"]
			must(s.life.arrive(late))
			must(s.life.bind(late, s.cluster.hosts["n1"]))
		}},
		{"a wait that is forgotten", "has waited 0s by its events, and 1s by the run", func(s *Simulation) { low(s).lineage.waited = time.Second }},
		{"a start that moves", "it ran for", func(s *Simulation) { low(s).bound += time.Second }},
		{"work that is lost twice", "of work is lost by the events", func(s *Simulation) { s.tally.lost.PodSeconds++ }},
		{"a phase without an event", "by its events, and gone by the run", func(s *Simulation) {
			s.lives.pods["default/high"].phase = Gone
			s.teller.tell(Event{Kind: Changed, Pod: s.lives.pods["default/high"].obj}, "")
		}},
		{"an end without a beginning", "finish while it is coming", func(s *Simulation) {
			late := s.lives.pods["default/late"]
			s.auditor.books[late] = &book{phase: Coming}
			s.teller.tell(Event{Kind: Ended, Pod: late.obj}, "")
		}},
		{"a wait that is left out of a life", "and is", func(s *Simulation) { s.auditor.books[low(s)].came = -time.Second }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			work := []Work{endless(asking("low", 0, "4"), 0), endless(asking("high", 9, "4"), 20), endless(asking("late", 0, "1"), 500)}
			s, err := New(nodes(node("n1", "4")), work, Config{Recreate: Recreate{Rule: RecreateNever}, Audit: true})
			require.NoError(t, err)
			require.NoError(t, s.At(seconds(30), Call(func(s *Simulation) error { tt.spoil(s); return nil })))
			_, err = s.Run(t.Context())
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrAudit)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// An audit heeds what the schedulers heed: where nobody looks at a resource it may be overcommitted.
func TestAuditHeedsPlugins(t *testing.T) {
	for name, plugins := range map[string]preemption.Profile{
		"off":        {Off: []string{preemption.NodeResourcesFit}},
		"off nodes":  {OffOnNodes: []string{preemption.NodeResourcesFit}},
		"ignored":    {IgnoredResources: []resource.Name{device}},
		"by a group": {IgnoredResourceGroups: []string{"example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := node("n1", "4")
			n.Allocatable[device] = resource.New(1)
			var work []Work
			for _, name := range []string{"a", "b"} {
				p := asking(name, 0, "1")
				p.Containers[0].Requests[device] = resource.New(1)
				work = append(work, lasting(p, 0, 10))
			}
			s, err := New(nodes(n), work, Config{Schedulers: []Scheduler{{Preemption: preemption.Config{Profile: plugins}}}})
			require.NoError(t, err)
			_, err = s.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, seconds(10), s.Now(), "both ran at once")
		})
	}
}
