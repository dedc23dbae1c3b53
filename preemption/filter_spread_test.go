package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// spread adds a DoNotSchedule constraint over the key for pods with app=web.
func spread(key string, changes ...func(*outrank.TopologySpreadConstraint)) podOption {
	return func(p *outrank.Pod) {
		c := outrank.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("app", "web"),
		}
		for _, change := range changes {
			change(&c)
		}
		p.TopologySpreadConstraints = append(p.TopologySpreadConstraints, c)
	}
}

type constraint = outrank.TopologySpreadConstraint

func minDomains(n int32) func(*constraint) { return func(c *constraint) { c.MinDomains = n } }

func selecting(s *outrank.LabelSelector) func(*constraint) {
	return func(c *constraint) { c.LabelSelector = s }
}

var web = labels("app", "web")

// zone puts a node into a zone.
func zone(name string) func(*outrank.Node) { return nodeLabels("zone", name) }

// What a constraint counts, and how far ahead a domain may be (rules 7.12.1 to 7.12.9, 7.12.11 and 7.12.12).
func TestSpread(t *testing.T) {
	const skewed = "Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]\n"
	const noKey = "Unresolvable PodTopologySpread [node(s) didn't match pod topology spread constraints (missing required label)]\n"
	runRows(t, []row{
		{
			name:    "one ahead of the emptiest domain is too much with the pod itself",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone")),
			want:    "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name:    "a pod that does not match its own selector counts for nothing",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(spread("zone")),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "maxSkew is still allowed",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone", func(c *constraint) { c.MaxSkew = 2 })),
			want:    "a: fits\nb: fits",
		},
		{
			name: "a domain spans its nodes",
			why:  "The pod on b counts against a, and cannot be preempted from there.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("1")), node("c", zone("2")), pod("x", "b", 1, web), pod("y", "a", 1),
			},
			pod: preemptor(web, spread("zone")),
			want: "a: " + skewed + "a out: " + skewed +
				"b: " + skewed + "b <- x (0)\n" +
				"c: fits\nbest b",
		},
		{
			name: "taking pods away may empty the emptiest domain",
			why:  "On a, two of three have to go. The first to come back is the more important.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")),
				pod("x", "a", 3, web), pod("y", "a", 2, web), pod("z", "a", 1, web), pod("w", "b", 200, web),
			},
			pod:  preemptor(web, spread("zone")),
			want: "a: " + skewed + "a <- y, z (0)\nb: fits\nbest a",
		},
		{
			name:    "a node without the key is unresolvable",
			why:     "Nor does its pod count anywhere.",
			cluster: []any{node("a"), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone")),
			want:    "a: " + noKey + "b: fits",
		},
		{
			name: "only nodes with the keys of all constraints count",
			why:  "b has no rack, so zone 2 is no domain and its emptiness no minimum.",
			cluster: []any{
				node("a", zone("1"), nodeLabels("rack", "1")), node("b", zone("2")), pod("x", "a", 1, web),
			},
			pod:  preemptor(web, spread("zone"), spread("rack")),
			want: "a: fits\nb: " + noKey,
		},
		{
			name:    "constraints are looked at in order",
			why:     "On b the skew of the zone comes before the rack it does not have. Its pod never counted, so taking it away changes nothing.",
			cluster: []any{node("a", zone("1"), nodeLabels("rack", "1")), node("b", zone("1")), pod("x", "a", 1, web), pod("y", "b", 1, web)},
			pod:     preemptor(web, spread("zone", minDomains(2)), spread("rack")),
			want:    "a: " + skewed + "a <- x (0)\nb: " + skewed + "b out: " + skewed + "best a",
		},
		{
			name:    "too few domains make the minimum 0",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web), pod("y", "b", 1, web)},
			pod:     preemptor(web, spread("zone", minDomains(3))),
			want:    "a: " + skewed + "a <- x (0)\nb: " + skewed + "b <- y (0)\nbest a",
		},
		{
			name:    "enough domains do not",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web), pod("y", "b", 1, web)},
			pod:     preemptor(web, spread("zone", minDomains(2))),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "no domains at all",
			cluster: []any{node("a")},
			pod:     preemptor(web, spread("zone")),
			want:    "a: " + noKey,
		},
		{
			name: "other namespaces, terminating pods and other labels do not count",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")),
				pod("x", "a", 1, web, inNamespace("other")), pod("y", "a", 1, web, terminating), pod("z", "a", 1, labels("app", "db")),
			},
			pod:  preemptor(web, spread("zone")),
			want: "a: fits\nb: fits",
		},
		{
			name:    "ScheduleAnyway is ignored",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone", func(c *constraint) { c.WhenUnsatisfiable = outrank.ScheduleAnyway })),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "no word about it means DoNotSchedule",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone", func(c *constraint) { c.WhenUnsatisfiable = "" })),
			want:    "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name:    "a nil selector counts nothing, itself included",
			cluster: []any{node("a", zone("1")), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone", selecting(nil), minDomains(9))),
			want:    "a: fits",
		},
		{
			name:    "an empty selector counts no pod that is there",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web), pod("y", "a", 1)},
			pod:     preemptor(web, spread("zone", selecting(selects()))),
			want:    "a: fits\nb: fits",
		},
		{
			name: "an empty selector counts pods that are added",
			why:  "The nominated pod makes 1, the preemptor matches the selector itself, and b has none.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("n", "", 200, nominatedTo("a")), pod("x", "a", 1),
			},
			pod:  preemptor(web, spread("zone", selecting(selects()))),
			want: "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
	})
}

// Which nodes count, and which pods (rules 7.12.8 and 7.12.10).
func TestSpreadPoliciesAndKeys(t *testing.T) {
	const skewed = "Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]\n"
	const untolerated = "Unresolvable TaintToleration [node(s) had untolerated taint(s)]\n"
	const unwanted = "Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]\n"
	taint := taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})
	onSSD := func(p *outrank.Pod) { p.NodeSelector = map[string]string{"disk": "ssd"} }
	ssd := nodeLabels("disk", "ssd")
	runRows(t, []row{
		{
			name:    "node affinity is honoured unless it is to be ignored",
			why:     "b is not wanted, so its empty zone is no domain and a the emptiest itself.",
			cluster: []any{node("a", zone("1"), ssd), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, onSSD, spread("zone")),
			want:    "a: fits\nb: " + unwanted,
		},
		{
			name:    "node affinity ignored",
			cluster: []any{node("a", zone("1"), ssd), node("b", zone("2")), pod("x", "a", 1, web)},
			pod:     preemptor(web, onSSD, spread("zone", func(c *constraint) { c.NodeAffinityPolicy = outrank.NodeIgnore })),
			want:    "a: " + skewed + "a <- x (0)\nb: " + unwanted + "best a",
		},
		{
			name:    "taints are ignored unless they are to be honoured",
			cluster: []any{node("a", zone("1")), node("b", zone("2"), taint), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone")),
			want:    "a: " + skewed + "a <- x (0)\nb: " + untolerated + "best a",
		},
		{
			name:    "taints honoured",
			cluster: []any{node("a", zone("1")), node("b", zone("2"), taint), pod("x", "a", 1, web)},
			pod:     preemptor(web, spread("zone", func(c *constraint) { c.NodeTaintsPolicy = outrank.NodeHonor })),
			want:    "a: fits\nb: " + untolerated,
		},
		{
			name: "a preferred taint is no taint to honour",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2"), taints(outrank.Taint{Key: "k", Effect: outrank.PreferNoSchedule})), pod("x", "a", 1, web),
			},
			pod:  preemptor(web, spread("zone", func(c *constraint) { c.NodeTaintsPolicy = outrank.NodeHonor })),
			want: "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name: "policies are each constraint's own",
			why:  "For the rack, b is an empty domain, for the zone it is none: on a only the rack is over.",
			cluster: []any{
				node("a", zone("1"), nodeLabels("rack", "1"), ssd), node("b", zone("2"), nodeLabels("rack", "2")), pod("x", "a", 1, web),
			},
			pod: preemptor(web, onSSD,
				spread("zone"), spread("rack", func(c *constraint) { c.NodeAffinityPolicy = outrank.NodeIgnore })),
			want: "a: " + skewed + "a <- x (0)\nb: " + unwanted + "best a",
		},
		{
			name: "matchLabelKeys narrow the selector to the pod's own value",
			why:  "The pod that is there is of another revision. A key the preemptor does not have is ignored.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, labels("app", "web", "rev", "1")),
			},
			pod: preemptor(labels("app", "web", "rev", "2"), spread("zone", func(c *constraint) {
				c.MatchLabelKeys = []string{"rev", "absent"}
			})),
			want: "a: fits\nb: fits",
		},
		{
			name: "matchLabelKeys with the same value",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, labels("app", "web", "rev", "2")),
			},
			pod: preemptor(labels("app", "web", "rev", "2"), spread("zone", func(c *constraint) {
				c.MatchLabelKeys = []string{"rev", "absent"}
			})),
			want: "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name: "matchLabelKeys make an empty selector count",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web), pod("y", "a", 1),
			},
			pod: preemptor(web, spread("zone", selecting(selects()), func(c *constraint) {
				c.MatchLabelKeys = []string{"app"}
			})),
			want: "a: " + skewed + "a <- x (0)\nb: fits\nbest a",
		},
	})
}

// A terminating pod is not counted at the start, and subtracted all the same
// when it is taken away; put back, it is added again (rules 7.12.5 and 7.12.6).
func TestSpreadUnderTerminatingPods(t *testing.T) {
	const skewed = "Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]\n"
	runRows(t, []row{
		{
			name: "a terminating victim makes room that was never taken",
			why: "Zone 1 counts 1 at the start and -1 when both are away. x comes back to 0, and with y back again it is 1, " +
				"too many: so the pod that counted for nothing is the victim.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("2")),
				pod("x", "a", 2, web), pod("y", "a", 1, web, terminating),
			},
			pod:  preemptor(web, spread("zone")),
			want: "a: " + skewed + "a <- y (0)\nb: fits\nbest a",
		},
	})
}
