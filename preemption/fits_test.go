package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// Pods that are promised the node count, and nothing rests on them (group 7.16, rules 7.13.16 and 14.3.3).
func TestNominated(t *testing.T) {
	const short = "Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	isWeb := selects("app", "web")
	runRows(t, []row{
		{
			name:    "a pod of the same priority keeps its promised room",
			cluster: []any{node("a"), pod("n", "", 100, cpu("600m"), nominatedTo("a")), pod("x", "a", 1, cpu("100m"))},
			pod:     preemptor(cpu("400m")),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "and so does one of a higher priority",
			cluster: []any{node("a"), pod("n", "", 101, cpu("600m"), nominatedTo("a")), pod("x", "a", 1, cpu("100m"))},
			pod:     preemptor(cpu("400m")),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "one of a lower priority does not",
			cluster: []any{node("a"), pod("n", "", 99, cpu("600m"), nominatedTo("a")), pod("x", "a", 1, cpu("100m"))},
			pod:     preemptor(cpu("400m")),
			want:    `a: fits`,
		},
		{
			name:    "no priority counts as 0 on both sides",
			cluster: []any{node("a"), pod("n", "", 0, cpu("600m"), nominatedTo("a"), noPriority)},
			pod:     preemptor(cpu("600m"), noPriority),
			want:    "a: " + short + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name: "only on the node they are nominated to",
			why:  "A node that does not exist is nobody's.",
			cluster: []any{
				node("a"), node("b"), pod("n", "", 200, cpu("1"), nominatedTo("a")), pod("m", "", 200, cpu("1"), nominatedTo("gone")),
			},
			pod:  preemptor(cpu("1")),
			want: "a: " + short + "a out: Unresolvable [No preemption victims found for incoming pod]\nb: fits",
		},
		{
			name: "never the preemptor itself",
			why:  "It is known by namespace and name: the pod of the same name in another namespace stays.",
			cluster: []any{
				node("a"), pod("p", "", 100, cpu("600m"), nominatedTo("a")),
				node("b"), pod("p", "", 100, cpu("600m"), nominatedTo("b"), inNamespace("other")),
			},
			pod:  preemptor(cpu("600m"), func(p *outrank.Pod) { p.Namespace = "default" }),
			want: "a: fits\nb: " + short + "b out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name: "they take slots and ports",
			cluster: []any{
				node("a", slots(1)), pod("n", "", 200, nominatedTo("a")),
				node("b"), pod("m", "", 200, nominatedTo("b"), binds(80, "", "")),
			},
			pod: preemptor(binds(80, "", "")),
			want: `
				a: Unschedulable NodeResourcesFit [Too many pods]
				a out: Unresolvable [No preemption victims found for incoming pod]
				b: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]
				b out: Unresolvable [No preemption victims found for incoming pod]`,
		},
		{
			name:    "affinity must not rest on them",
			why:     "The second pass, without the nominated pod, finds nobody to be near to.",
			cluster: []any{node("a"), pod("n", "", 200, web, nominatedTo("a"))},
			pod:     preemptor(near("host", isWeb)),
			want:    "a: " + alone,
		},
		{
			name: "the second pass is made in the dry run too",
			why: "With the web pod away, the nominated one alone would do in the first pass; the second finds nobody. Where " +
				"the web pod cannot be preempted, both pass.",
			cluster: []any{
				node("a"), pod("n", "", 200, web, nominatedTo("a")), pod("x", "a", 1, web, cpu("1")),
				node("b"), pod("m", "", 200, web, nominatedTo("b")), pod("y", "b", 100, web), pod("z", "b", 1, cpu("1")),
			},
			pod: preemptor(near("host", isWeb), cpu("1")),
			want: "a: " + short + "a out: " + alone +
				"b: " + short + "b <- z (0)\nbest b",
		},
		{
			name: "the first pass with them must pass as well",
			why:  "The preemptor keeps away from web pods, and one is expected.",
			cluster: []any{
				node("a"), pod("n", "", 200, web, nominatedTo("a")), pod("x", "a", 1),
			},
			pod:  preemptor(away("host", isWeb)),
			want: "a: " + avoided + "a out: " + avoided,
		},
		{
			name: "they count for the spread",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("n", "", 200, web, nominatedTo("a")),
			},
			pod: preemptor(web, spread("zone")),
			want: `
				a: Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]
				a out: Unresolvable [No preemption victims found for incoming pod]
				b: fits`,
		},
		{
			name: "they count once, however often the filters run",
			why:  "The nominated pod and the preemptor make 2, which maxSkew allows, each time a pod is put back.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("n", "", 200, web, nominatedTo("a")),
				pod("x", "a", 3, cpu("300m")), pod("y", "a", 2, cpu("300m")), pod("z", "a", 1, cpu("300m")),
			},
			pod:  preemptor(web, cpu("300m"), spread("zone", func(c *constraint) { c.MaxSkew = 2 })),
			want: "a: " + short + "a <- z (0)\nb: fits\nbest a",
		},
		{
			name: "what they keep away from is asked while something concerned the pod at the start",
			why:  "Some pod on b keeps away from web pods, so the filter runs, and on a it sees the nominated pod's term.",
			cluster: []any{
				node("a"), node("b"), pod("n", "", 200, away("host", isWeb), nominatedTo("a")), pod("x", "b", 1, away("host", isWeb)),
			},
			pod:  preemptor(web),
			want: "a: " + shunned + "a out: Unresolvable [No preemption victims found for incoming pod]\nb: " + shunned + "b <- x (0)\nbest b",
		},
		{
			name:    "and ignored where nothing did",
			why:     "The filter was skipped at the start, so nobody sees the nominated pod's term (rule 7.13.16).",
			cluster: []any{node("a"), pod("n", "", 200, away("host", isWeb), nominatedTo("a")), pod("x", "a", 1)},
			pod:     preemptor(web),
			want:    `a: fits`,
		},
		{
			name:    "a term on a node without its key concerned nobody",
			why:     "So it is once more (rule 7.13.16): x keeps away from web pods, but is in no zone.",
			cluster: []any{node("a"), node("b"), pod("x", "b", 1, away("zone", isWeb)), pod("n", "", 200, away("host", isWeb), nominatedTo("a"))},
			pod:     preemptor(web),
			want:    "a: fits\nb: fits",
		},
		{
			name: "nominations to the chosen node below the preemptor's priority are cleared",
			why:  "By importance; the preemptor's own entry, equal priorities and other nodes stay.",
			cluster: []any{
				node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 2, cpu("1")),
				pod("z", "", 99, nominatedTo("a")), pod("m", "", 0, nominatedTo("a"), noPriority),
				pod("same", "", 100, nominatedTo("a")), pod("other", "", 1, nominatedTo("b")), pod("p", "", 1, nominatedTo("a")),
			},
			pod: preemptor(cpu("1")),
			want: "a: " + short + "a <- x (0)\nb: " + short + "b <- y (0)\nbest a\n" +
				"cleared z\ncleared m",
		},
	})
}
