package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// claimants gives pods ports, volumes and disks. Mostly each has its own, so that they count like
// resources; now and then two pods of a node have the same.
type claimants struct {
	r *rand.Rand
	// shares is set where pods have volumes and ports in common.
	shares bool
	// alone is how rare claims are that a single pod may use.
	alone  int
	serial int
}

func (h *claimants) oneIn(n int) bool { return h.r.IntN(n) == 0 }

func (h *claimants) give(p *outrank.Pod) {
	p.Volumes, p.Containers[0].Ports = nil, nil
	if h.oneIn(4) {
		port := outrank.Port{HostPort: 80, HostIP: []string{"", "10.0.0.1", "10.0.0.2"}[h.r.IntN(3)]}
		if h.oneIn(3) {
			port.HostPort = 443
		}
		p.Containers[0].Ports = append(p.Containers[0].Ports, port)
		if h.oneIn(3) {
			p.Containers[0].Ports = append(p.Containers[0].Ports, outrank.Port{HostPort: 443}, outrank.Port{HostPort: 443})
		}
	}
	for range h.r.IntN(4) {
		p.Volumes = append(p.Volumes, h.volume())
	}
	if h.oneIn(2 * h.alone) {
		p.Volumes = append(p.Volumes, locks()...)
	}
	if h.oneIn(6) {
		p.Volumes = append(p.Volumes, outrank.Volume{Disk: outrank.Disk{
			Kind: []outrank.DiskKind{outrank.ISCSI, outrank.RBD, outrank.AWSElasticBlockStore}[h.r.IntN(3)], ID: "p/d", ReadOnly: h.oneIn(2),
		}})
	}
}

// locks are claims that a single pod may use.
func locks() []outrank.Volume {
	return []outrank.Volume{{Claim: "lock0", OncePod: true}, {Claim: "lock1", OncePod: true}}
}

func (h *claimants) volume() outrank.Volume {
	driver := "csi"
	if h.oneIn(4) {
		driver = "other"
	}
	if h.shares && h.oneIn(2) {
		name := fmt.Sprint("shared", h.r.IntN(2))
		return outrank.Volume{Claim: name, Driver: driver, Handle: name}
	}
	if h.oneIn(h.alone) {
		return outrank.Volume{Claim: fmt.Sprint("lock", h.r.IntN(2)), OncePod: h.oneIn(2), Driver: driver}
	}
	h.serial++
	v := outrank.Volume{Claim: fmt.Sprint("c", h.serial), Driver: driver}
	if h.oneIn(2) {
		v.Handle = fmt.Sprint("h", h.serial)
	}
	return v
}

// limit has a node take about as many volumes as its pods have.
func (h *claimants) limit(n *outrank.Node, pods []*outrank.Pod) {
	there := map[string]int64{}
	known := map[string]bool{}
	for _, p := range pods {
		for _, v := range p.Volumes {
			if p.NodeName == n.Name && v.Driver != "" && !known[v.Driver+v.Claim] {
				there[v.Driver]++
				known[v.Driver+v.Claim] = true
			}
		}
	}
	around := func(driver string) int64 { return max(0, there[driver]+int64(h.r.IntN(5))-2) }
	n.AttachLimits, n.MissingDrivers = map[string]int64{"csi": around("csi")}, nil
	switch h.r.IntN(6) {
	case 0:
		n.AttachLimits = nil
	case 1:
		n.AttachLimits["other"] = around("other")
	case 2:
		n.MissingDrivers = []string{"other"}
	}
}

// crowd draws a crowd with holdings, and the preemptor that asks for some.
func (h *claimants) crowd(t *rapid.T) (*outrank.Cluster, *outrank.Pod) {
	c, p := gen.Crowd(t)
	if keep := rapid.IntRange(1, 4).Draw(t, "nodes kept"); keep < len(c.Nodes) && rapid.Bool().Draw(t, "few nodes") {
		c.Pods = slices.DeleteFunc(c.Pods, func(q *outrank.Pod) bool {
			return slices.ContainsFunc(c.Nodes[keep:], func(n *outrank.Node) bool { return n.Name == q.NodeName })
		})
		c.Nodes = c.Nodes[:keep]
	}
	for _, n := range c.Nodes {
		n.Labels = map[string]string{outrank.ZoneLabel: fmt.Sprint("z", h.r.IntN(3))}
	}
	for _, q := range c.Pods {
		h.give(q)
		if h.oneIn(30) {
			q.NominatedNodeName, q.NodeName = q.NodeName, ""
		}
	}
	for _, n := range c.Nodes {
		h.limit(n, c.Pods)
	}
	if rapid.Bool().Draw(t, "of the next release") {
		c.Release = outrank.V1_37
	}
	h.shares = h.shares && h.oneIn(4) // mostly not with the preemptor
	h.give(p)
	if rapid.IntRange(0, 3).Draw(t, "only ports") == 0 {
		p.Volumes = nil
		p.Containers[0].Ports = []outrank.Port{{HostPort: 80, HostIP: rapid.SampledFrom([]string{"", "10.0.0.1"}).Draw(t, "ip")}}
	}
	if rapid.IntRange(0, 3).Draw(t, "alone with a claim") == 0 {
		p.Volumes = append(p.Volumes, locks()[:1+h.r.IntN(2)]...)
	}
	if rapid.IntRange(0, 3).Draw(t, "in a zone") == 0 {
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: "zonal", Zones: map[string][]string{outrank.ZoneLabel: {"z0", "z1"}}})
	}
	return c, p
}

// Ports, volumes and disks that count like resources make no difference to the answer, whatever
// happens to them between questions: the exhaustive search, which asks the filters, agrees.
func TestPropertyColumns(t *testing.T) {
	t.Parallel()
	outcomes, scores := map[preemption.Outcome]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		h := &claimants{r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "holders"), 1)), shares: rapid.Bool().Draw(t, "shares"), alone: rapid.SampledFrom([]int{4, 60, 1000}).Draw(t, "alone")}
		c, p := h.crowd(t)
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		eval = eval.Parallel(rapid.IntRange(1, 2).Draw(t, "workers"))
		termsOf(eval).Chunk = rapid.SampledFrom([]int{1, 7, 64}).Draw(t, "chunk size")
		asks := []*outrank.Pod{p}
		for i := range 3 {
			asks = append(asks, h.like(p, i))
		}
		for range rapid.IntRange(1, 5).Draw(t, "questions") {
			asker := rapid.SampledFrom(asks).Draw(t, "asker")
			outcomes[agreesWithAll(t, eval, snap, asker)]++
			scores += entriesHold(t, eval, snap, &preemption.Request{Pod: asker, Now: gen.Now})
			snap = h.change(t, snap, c)
		}
	})
	assert.Positive(t, outcomes[preemption.Preempts], "%v", outcomes)
	assert.Positive(t, outcomes[preemption.NothingHelps], "%v", outcomes)
	assert.Positive(t, scores, "the cache never had a score")
}

// like is a pod that differs from another in one thing that it holds, and perhaps in its priority.
func (h *claimants) like(p *outrank.Pod, thing int) *outrank.Pod {
	q := *p
	q.Name, q.Containers = fmt.Sprint("like", thing), []outrank.Container{p.Containers[0]}
	h.give(&q)
	switch thing {
	case 0:
		q.Volumes = p.Volumes
	case 1:
		q.Containers[0].Ports = p.Containers[0].Ports
	default:
		q.Containers[0].Ports, q.Volumes = p.Containers[0].Ports, slices.Clone(p.Volumes)
		for i := range q.Volumes {
			q.Volumes[i].Disk.ReadOnly = !q.Volumes[i].Disk.ReadOnly && q.Volumes[i].Disk.Kind != ""
		}
		if h.oneIn(2) {
			q.Priority = outrank.Priority(p.PriorityValue() - int32(h.r.IntN(20)))
		}
	}
	return &q
}

// agreesWithAll compares the answer of a search with that of the one that evaluates every node.
func agreesWithAll(t *rapid.T, eval *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod) preemption.Outcome {
	explained, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	want := *plantest.Unexplained(explained)
	for turn := range 3 { // the cache answers from the second on
		got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if diff := testdiff.Diff(&want, got); diff != "" {
			t.Fatalf("plan, asked for time %d (-explained +searched):\n%s", turn, diff)
		}
	}
	return want.Outcome
}

// change changes what pods and nodes hold, and may go on with a clone.
func (h *claimants) change(t *rapid.T, snap *engine.Snapshot, c *outrank.Cluster) *engine.Snapshot {
	origin := snap
	if rapid.IntRange(0, 3).Draw(t, "clone") == 0 {
		snap = snap.Clone()
	}
	mark := snap.Mark()
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		if len(c.Pods) == 0 {
			break
		}
		q := *c.Pods[rapid.IntRange(0, len(c.Pods)-1).Draw(t, "pod")]
		q.Containers = []outrank.Container{q.Containers[0]}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			if _, ok := snap.Pod(q.Key()); ok {
				require.NoError(t, snap.RemovePod(q.Key()))
			}
		case 1:
			n := *c.Nodes[rapid.IntRange(0, len(c.Nodes)-1).Draw(t, "node")]
			h.limit(&n, c.Pods)
			require.NoError(t, snap.PutNode(&n))
		default:
			h.give(&q)
			require.NoError(t, errOf(snap.PutPod(&q)))
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "undo") == 0 {
		require.NoError(t, snap.Undo(mark))
	} else {
		require.NoError(t, snap.Keep(mark))
	}
	if rapid.Bool().Draw(t, "back") {
		return origin
	}
	return snap
}
