package filter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// An entry says what helps a pod, from outside and from within, and draws cases.
func TestEveryEntryIsComplete(t *testing.T) {
	for _, e := range filter.Entries() {
		assert.Same(t, e, filter.Of(e.Name))
		assert.NotZero(t, e.Fails, "%s: how it fails", e.Name)
		assert.True(t, e.Fails.Has(e.Conclusive), "%s: a failure that it does not have is conclusive", e.Name)
		assert.Greater(t, len(e.Helped), 1, "%s: events that help", e.Name)
		assert.NotNil(t, e.Helped[filter.EventPodUpdated], "%s: what helps in the pod itself", e.Name)
		draws := e.Draw.Running != nil || e.Draw.Asking != nil || e.Draw.Node != nil
		assert.Equal(t, e.Name != filter.NodeResourcesFit, draws, "%s: its draw", e.Name)
		assert.Equal(t, e.Names.Member == "", e.Names.Text == "", "%s: names have a member and a sentence", e.Name)
	}
	assert.Nil(t, filter.Of("Mine"))
}

// What is drawn for a filter is something that the filter reads.
func TestDrawsAreRead(t *testing.T) {
	for _, e := range filter.Entries() {
		pods, running, nodes := 0, 0, 0
		for seed := range uint64(200) {
			s := draw.Seeded(seed).Of("test", 0)
			asks := &outrank.Pod{Containers: make([]outrank.Container, 1)}
			runs := &outrank.Pod{Containers: make([]outrank.Container, 1)}
			node := &outrank.Node{Labels: map[string]string{}}
			if e.Draw.Asking != nil {
				e.Draw.Asking(s, 5, asks)
			}
			if e.Draw.Running != nil {
				e.Draw.Running(s, runs)
			}
			if e.Draw.Node != nil {
				e.Draw.Node(s, node)
			}
			pods, running, nodes = pods+one(e.Reads.Pod, asks), running+one(e.Reads.Running, runs), nodes+one(e.Reads.Node, node)
		}
		assert.Equal(t, e.Reads.Pod != nil && e.Draw.Asking != nil, pods > 0, "%s: pods that ask", e.Name)
		assert.Equal(t, e.Reads.Running != nil, running > 0, "%s: pods that run", e.Name)
		assert.Equal(t, e.Reads.Node != nil, nodes > 0, "%s: nodes", e.Name)
	}
}

func one[T any](reads func(T) bool, object T) int {
	if reads != nil && reads(object) {
		return 1
	}
	return 0
}

// The signature of a pod that a filter may turn away is another than that of one that asks for
// nothing.
func TestSignaturesFollowWhatIsRead(t *testing.T) {
	for _, e := range filter.Entries() {
		if e.Signature == nil || e.Reads.Pod == nil || e.Draw.Asking == nil {
			continue
		}
		var plain parts
		e.Signature(&plain, &outrank.Pod{Containers: make([]outrank.Container, 1)})
		for seed := range uint64(200) {
			p := &outrank.Pod{Containers: make([]outrank.Container, 1)}
			e.Draw.Asking(draw.Seeded(seed).Of("test", 0), 5, p)
			var with parts
			if e.Signature(&with, p); e.Reads.Pod(p) {
				assert.NotEqual(t, plain, with, e.Name)
			}
		}
	}
}

// parts are the parts of a signature.
type parts []any

func (p *parts) Number(n int)                         { *p = append(*p, n) }
func (p *parts) Flag(v bool)                          { *p = append(*p, v) }
func (p *parts) Text(text string)                     { *p = append(*p, text) }
func (p *parts) Texts(texts []string)                 { *p = append(*p, texts) }
func (p *parts) Labels(labels map[string]string)      { *p = append(*p, labels) }
func (p *parts) NodeSelector(s *outrank.NodeSelector) { *p = append(*p, s) }

// The topics of a shape bring the draws that belong to them.
func TestDrawn(t *testing.T) {
	names := func(topics filter.Topics) (names []string) {
		for _, e := range topics.Drawn() {
			names = append(names, e.Name)
		}
		return names
	}
	assert.Equal(t, []string{filter.NodeUnschedulable, filter.TaintToleration}, names(filter.Topics{filter.Taints: true, filter.Ports: false}))
	assert.Equal(t, []string{filter.NodePorts, filter.DeferredPodScheduling, filter.NodeResourcesFit}, names(filter.Topics{filter.Ports: true, filter.Rest: true}))
	assert.Empty(t, names(filter.Topics{filter.Ports: false}))
}

// From v1.37 on the first two filters change places.
func TestOrder(t *testing.T) {
	assert.Equal(t, filter.Names(), filter.Order(release.Of(release.V1_36)))
	assert.Equal(t, []string{filter.NodeName, filter.NodeUnschedulable, filter.TaintToleration}, filter.Order(release.Of(release.V1_37))[:3])
	assert.Equal(t, filter.Names()[2:], filter.Order(release.Of(release.V1_37))[2:])
}
