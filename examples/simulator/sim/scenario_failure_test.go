package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// aStory has a bit of everything: at 41 s web runs on n1, whose victim batch was
// recreated and waits in backoff, as does late.
const aStory = `Why.
---
node n1 cpu=4
node n2 cpu=1
budget calm selector=app=calm allowed=3
recreate when-gone
at 0s  pod batch cpu=4
at 10s pod web priority=100 cpu=4
at 20s expect batch terminating on n1 until 40s because this much is right
`

// Every kind of expectation can fail, and describes the state then. For each
// there is one that is met, so that it is the difference that fails.
func TestScenarioExpectationsCanFail(t *testing.T) {
	for _, c := range []struct{ at, met, failed, found string }{
		{"20s", "web queued", "web running", "web queued in unschedulable nominated to n1"},
		{"20s", "web queued in unschedulable", "web queued in backoff", "web queued in unschedulable nominated to n1"},
		{"20s", "web nominated to n1", "web nominated to n2", "web queued in unschedulable nominated to n1"},
		{"20s", "batch not nominated", "web not nominated", "web queued in unschedulable nominated to n1"},
		{"20s", "batch terminating on n1", "batch terminating on n2", "batch terminating on n1 until 40s"},
		{"20s", "batch terminating until 40s", "batch terminating until 41s", "batch terminating on n1 until 40s"},
		{"20s", "queue web", "queue nobody", "queue [web]"},
		{"20s", "queue unschedulable web", "queue backoff web", "queue []"},
		{"41s", "batch-r1 queued", "batch-r2 queued", "batch-r2 unknown"},
		{"41s", "web running on n1", "web running on n2", "web running on n1"},
		{"41s", "budget calm allows 3", "budget calm allows 2", "budget calm allows 3"},
		{"41s", "event arrive batch-r1 by batch", "event arrive batch by batch", "no such event at this time"},
		{"40s", "event bind web on n1", "event bind web on n2", "no such event at this time"},
		{"41s", "no event bind batch-r1", "no event bind web", "bind web at 40s"},
		{"41s", "no event bind on n2", "no event bind on n1", "bind batch at 0s"},
		{"41s", "event arrive saying \"priority 0\"", "event arrive saying \"priority 1\"", "no such event at this time"},
		{"41s", "order bind batch web", "order bind web batch", "order bind [batch web]"},
		{"41s", "order bind batch web", "order bind batch web batch-r1", "order bind [batch web]"},
		{"41s", "preemptions 1", "preemptions 2", "preemptions 1"},
		{"41s", "evictions 1", "evictions 0", "evictions 1"},
		{"41s", "cycles 0", "cycles 1", "cycles 0"},
		{"41s", "rounds 0", "rounds 1", "rounds 0"},
		{"41s", "cascades 0", "cascades 1", "cascades 0"},
		{"41s", "repeats 0", "repeats 1", "repeats 0"},
		{"41s", "cycles 0", "cycle batch web", "0 cycles []"},
		{"41s", "cascades 0", "cascade web batch", "cascade []"},
	} {
		for text, want := range map[string][]string{c.met: nil, c.failed: {c.found}} {
			sc, err := parseScenario("a.txt", aStory+"at "+c.at+" expect "+text+" because of this")
			require.NoError(t, err, text)
			out, err := sc.play(execution.Synchronous)
			require.NoError(t, err, text)
			require.Len(t, out.failures, len(want), text)
			for i := range want {
				assert.Contains(t, out.failures[i], "\nfound     "+want[i]+"\nso far\n", text)
			}
		}
	}
}

// A failure has the place, the expectation, its reason, the state, and the
// events up to then.
func TestScenarioFailureSaysAll(t *testing.T) {
	sc, err := parseScenario("a.txt", aStory+"at 30s expect batch gone because I am impatient\nat 50s pod more")
	require.NoError(t, err)
	out, err := sc.play(execution.Synchronous)
	require.NoError(t, err)
	require.Len(t, out.failures, 1)
	want := `a.txt:10: at 30s
expected  batch gone
because   I am impatient
found     batch terminating on n1 until 40s
so far
time	event	pod	node	details
0.000	arrive	batch	-	priority 0
0.000	bind	batch	n1	-
10.000	arrive	web	-	priority 100
10.000	evict	batch	n1	by default/web, gone by 40.000
10.000	nominate	web	n1	-
10.000	refuse	web	-	0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims
`
	assert.Empty(t, testdiff.Diff(want, out.failures[0]))
}

// Changes of one time are made before the scheduler looks, unless something is
// expected in between.
func TestScenarioLinesOfOneTime(t *testing.T) {
	const cluster = "Why.\n---\nnode n1 cpu=1\n"
	for _, c := range []struct{ why, story string }{
		{"the more important one is first in the queue", `
at 1s pod low cpu=1
at 1s pod high priority=5 cpu=1
at 1s expect order bind high because both are there when the scheduler looks`},
		{"an expectation is read after the scheduler", `
at 1s pod low cpu=1
at 1s expect low running because it is alone
at 1s pod high priority=5 cpu=1
at 1s expect low terminating because high has come after that`},
	} {
		sc, err := parseScenario("a.txt", cluster+c.story)
		require.NoError(t, err, c.why)
		out, err := sc.play(execution.Synchronous)
		require.NoError(t, err, c.why)
		assert.Empty(t, out.failures, c.why)
	}
}

// Words of the language that the stories have no use for.
func TestScenarioOtherWords(t *testing.T) {
	for _, story := range []string{
		`node n1 cpu=4
at 1s cordon n1
at 2s pod p cpu=1
at 2s expect p queued because nobody is let in
at 3s uncordon n1
at 3s expect p running on n1 because the node is open again`,
		`node n1 cpu=4
node n2 cpu=4 pods=0
recreate when-gone delay=2s
at 1s pod p cpu=1
at 2s remove n1
at 2s expect p gone because its node is
at 4s expect p-r1 queued because it is made anew two seconds later, and n2 has no place for pods`,
		`node n1 cpu=4 memory=1Gi taint=for=db:NoExecute
at 1s pod web memory=1Mi
at 1s pod db memory=1Gi tolerates=for=db
at 1s pod db2 memory=1Mi tolerates=for=db
at 1s expect web queued because it does not tolerate the taint
at 1s expect db running because it does
at 1s expect db2 queued because there is no memory left`,
		`node n1 cpu=4 labels=zone=a
budget b selector=app=a max=50%
at 1s pod p labels=app=a
at 1s expect budget b allows 1 because half of one is rounded up
at 2s budget b selector=app=a min=50%
at 2s expect budget b allows 0 because that is rounded up, too
at 3s lift b
at 3s expect event change saying "0 budgets" because it is taken back
at 3s budget b selector=app=b max=1
at 3s expect budget b allows 0 because it covers nobody
at 4s label p app=b,tier=1
at 5s pod q anti=app=b/zone
at 5s expect q queued because of the new label
at 6s label p app=c
at 7s expect q running because of the newest`,
		`node n1 cpu=4
cycle 1s
at 0s pod low cpu=1
at 0s pod high cpu=1 priority=1
at 0s expect high running because it is the first
at 0s expect queue active low because the scheduler is busy for a second
at 1s expect queue nobody because all have been served`,
	} {
		sc, err := parseScenario("a.txt", "Why.\n---\n"+story)
		require.NoError(t, err)
		playAll(t, sc)
	}
}
