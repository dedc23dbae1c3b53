package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

type podTerm = outrank.PodAffinityTerm

// near and away are a required affinity and anti-affinity term over the key.
func near(key string, s *outrank.LabelSelector, changes ...func(*podTerm)) podOption {
	return func(p *outrank.Pod) {
		p.Affinity.PodAffinity = append(p.Affinity.PodAffinity, makeTerm(key, s, changes))
	}
}

func away(key string, s *outrank.LabelSelector, changes ...func(*podTerm)) podOption {
	return func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = append(p.Affinity.PodAntiAffinity, makeTerm(key, s, changes))
	}
}

func makeTerm(key string, s *outrank.LabelSelector, changes []func(*podTerm)) podTerm {
	t := podTerm{TopologyKey: key, LabelSelector: s}
	for _, change := range changes {
		change(&t)
	}
	return t
}

func namespaces(names ...string) func(*podTerm) {
	return func(t *podTerm) { t.Namespaces = names }
}

func namespacesWith(s *outrank.LabelSelector) func(*podTerm) {
	return func(t *podTerm) { t.NamespaceSelector = s }
}

const (
	alone   = "Unresolvable InterPodAffinity [node(s) didn't match pod affinity rules]\n"
	avoided = "Unschedulable InterPodAffinity [node(s) didn't match pod anti-affinity rules]\n"
	shunned = "Unschedulable InterPodAffinity [node(s) didn't satisfy existing pods anti-affinity rules]\n"
)

// The required affinity of the pod (rules 7.13.2, 7.13.5 to 7.13.8 and 7.13.10).
func TestAffinity(t *testing.T) {
	isWeb, isDB := selects("app", "web"), selects("app", "db")
	runRows(t, []row{
		{
			name:    "affinity is met in the whole domain, and unresolvable elsewhere",
			cluster: []any{node("a", zone("1")), node("b", zone("1")), node("c", zone("2")), pod("x", "a", 1, web), pod("y", "c", 1)},
			pod:     preemptor(near("zone", isWeb)),
			want:    "a: fits\nb: fits\nc: " + alone,
		},
		{
			name:    "a term's key must be on the node",
			cluster: []any{node("a", zone("1")), node("b"), pod("x", "a", 1, web)},
			pod:     preemptor(near("zone", isWeb)),
			want:    "a: fits\nb: " + alone,
		},
		{
			name:    "a pod counts only if it matches all terms",
			why:     "On a one pod matches each term; on b one pod matches both.",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, web), pod("y", "a", 1, labels("tier", "front")), pod("z", "b", 1, labels("app", "web", "tier", "front"))},
			pod:     preemptor(near("host", isWeb), near("host", selects("tier", "front"))),
			want:    "a: " + alone + "b: fits",
		},
		{
			name:    "terminating pods count",
			cluster: []any{node("a"), pod("x", "a", 1, web, terminating)},
			pod:     preemptor(near("host", isWeb)),
			want:    "a: fits",
		},
		{
			name:    "the first of a group is let in",
			why:     "No pod matches, and it matches its own term.",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, labels("app", "db"))},
			pod:     preemptor(web, near("host", isWeb)),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "not where a pod of the group is elsewhere",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, web)},
			pod:     preemptor(web, near("host", isWeb)),
			want:    "a: fits\nb: " + alone,
		},
		{
			name:    "not where it does not match its own terms",
			cluster: []any{node("a")},
			pod:     preemptor(web, near("host", isWeb), near("host", isDB)),
			want:    "a: " + alone,
		},
		{
			name:    "not on a node without the key",
			cluster: []any{node("a"), node("b", zone("1"))},
			pod:     preemptor(web, near("zone", isWeb)),
			want:    "a: " + alone + "b: fits",
		},
		{
			name:    "a match on a node without the key is in no domain",
			cluster: []any{node("a"), node("b", zone("1")), pod("x", "a", 1, web)},
			pod:     preemptor(web, near("zone", isWeb)),
			want:    "a: " + alone + "b: fits",
		},
		{
			name: "no pod anywhere is asked of the dry run",
			why:  "With the only other web pod taken away the preemptor would be the first of its group: that pod may go.",
			cluster: []any{
				node("a"), pod("x", "a", 1, web, cpu("1")),
			},
			pod:  preemptor(web, near("host", isWeb), cpu("1")),
			want: "a: Unschedulable NodeResourcesFit [Insufficient cpu]\na <- x (0)\nbest a",
		},
		{
			name:    "affinity to a possible victim alone cannot be met",
			why:     "With all of them away the web pod is missing, and the preemptor is not of its group. Nobody looks further.",
			cluster: []any{node("a"), pod("x", "a", 1, web, cpu("500m")), pod("y", "a", 50, cpu("500m"))},
			pod:     preemptor(near("host", isWeb), cpu("500m")),
			want: "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n" +
				"a out: " + alone,
		},
	})
}

// The required anti-affinity of the pod and of those that are there (rules 7.13.1, 7.13.3, 7.13.4, 7.13.9 and 7.13.10).
func TestAntiAffinity(t *testing.T) {
	isWeb := selects("app", "web")
	runRows(t, []row{
		{
			name:    "those it keeps away from have to go",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, web), pod("y", "a", 1)},
			pod:     preemptor(away("host", isWeb)),
			want:    "a: " + avoided + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name:    "those elsewhere in the domain cannot be reached",
			cluster: []any{node("a", zone("1")), node("b", zone("1")), pod("x", "a", 1, web), pod("y", "b", 1)},
			pod:     preemptor(away("zone", isWeb)),
			want:    "a: " + avoided + "a <- x (0)\nb: " + avoided + "b out: " + avoided + "best a",
		},
		{
			name:    "a term whose key the node lacks is ignored",
			cluster: []any{node("a"), pod("x", "a", 1, web), pod("y", "a", 1, web, away("zone", isWeb))},
			pod:     preemptor(web, away("zone", isWeb)),
			want:    "a: fits",
		},
		{
			name:    "an empty label is a domain, a missing one is not",
			cluster: []any{node("a"), node("b", zone("")), pod("x", "b", 1, web)},
			pod:     preemptor(away("zone", isWeb)),
			want:    "a: fits\nb: " + avoided + "b <- x (0)\nbest b",
		},
		{
			name:    "those that keep away from it have to go",
			cluster: []any{node("a"), pod("x", "a", 1, away("host", isWeb)), pod("y", "a", 1, away("host", selects("app", "db")))},
			pod:     preemptor(web),
			want:    "a: " + shunned + "a <- x (0)\nbest a",
		},
		{
			name:    "the affinity of others is not asked for",
			cluster: []any{node("a"), pod("x", "a", 1, near("host", isWeb))},
			pod:     preemptor(away("host", selects("app", "db"))),
			want:    "a: fits",
		},
		{
			name:    "terminating pods count",
			cluster: []any{node("a"), pod("x", "a", 1, web, terminating)},
			pod:     preemptor(away("host", isWeb)),
			want:    "a: " + avoided + "a <- x (0)\nbest a",
		},
		{
			name:    "its own rules come before those of others",
			why:     "Both are broken on a; on b only the second; on c the affinity comes first of all.",
			cluster: []any{node("a", zone("1")), node("b", zone("1")), node("c"), pod("x", "a", 1, web, away("zone", selects("app", "db"))), pod("y", "b", 1)},
			pod:     preemptor(labels("app", "db"), near("zone", isWeb), away("host", isWeb)),
			want: "a: " + avoided + "a out: " + alone +
				"b: " + shunned + "b out: " + shunned +
				"c: " + alone,
		},
	})
}

// Which pods a term is about (rules 7.13.11 to 7.13.13 and 7.13.17).
func TestAffinityTerms(t *testing.T) {
	isWeb := selects("app", "web")
	prod := &outrank.Namespace{Name: "prod", Labels: map[string]string{"env": "prod"}}
	dev := &outrank.Namespace{Name: "dev", Labels: map[string]string{"env": "dev"}}
	inProd := pod("x", "a", 1, web, inNamespace("prod"))
	runRows(t, []row{
		{
			name:    "without a word about namespaces, the pod's own",
			cluster: []any{prod, dev, node("a"), inProd},
			pod:     preemptor(away("host", isWeb)),
			want:    "a: fits",
		},
		{
			name:    "namespaces by name",
			cluster: []any{prod, dev, node("a"), inProd},
			pod:     preemptor(away("host", isWeb, namespaces("dev", "prod"))),
			want:    "a: " + avoided + "a <- prod/x (0)\nbest a",
		},
		{
			name:    "named namespaces replace the pod's own",
			cluster: []any{prod, dev, node("a"), pod("x", "a", 1, web)},
			pod:     preemptor(away("host", isWeb, namespaces("prod"))),
			want:    "a: fits",
		},
		{
			name:    "namespaces by label replace it too",
			cluster: []any{prod, dev, node("a"), inProd, pod("y", "a", 1, web)},
			pod:     preemptor(away("host", isWeb, namespacesWith(selects("env", "prod")))),
			want:    "a: " + avoided + "a <- prod/x (0)\nbest a",
		},
		{
			name:    "an empty namespace selector means all of them",
			cluster: []any{prod, dev, node("a"), inProd, pod("y", "a", 1, web)},
			pod:     preemptor(away("host", isWeb, namespacesWith(selects()))),
			want:    "a: " + avoided + "a <- y, prod/x (0)\nbest a",
		},
		{
			name:    "names and labels together mean the union",
			cluster: []any{prod, dev, node("a"), inProd, pod("y", "a", 1, web, inNamespace("dev")), pod("z", "a", 1, web)},
			pod:     preemptor(away("host", isWeb, namespaces("dev"), namespacesWith(selects("env", "prod")))),
			want:    "a: " + avoided + "a <- dev/y, prod/x (0)\nbest a",
		},
		{
			name:    "the namespaces of other pods' terms",
			why:     "Both keep away from web pods, one in its own namespace, the other in all that are prod.",
			cluster: []any{prod, dev, node("a"), pod("x", "a", 1, away("host", isWeb)), pod("y", "a", 1, away("host", isWeb, namespacesWith(selects("env", "prod"))))},
			pod:     preemptor(web, inNamespace("prod")),
			want:    "a: " + shunned + "a <- y (0)\nbest a",
		},
		{
			name:    "a nil selector matches nothing",
			cluster: []any{node("a"), pod("x", "a", 1, web)},
			pod:     preemptor(web, away("host", nil)),
			want:    "a: fits",
		},
		{
			name:    "a nil selector matches nothing, so affinity fails even for the first",
			cluster: []any{node("a")},
			pod:     preemptor(web, near("host", nil)),
			want:    "a: " + alone,
		},
		{
			name:    "an empty selector matches everything",
			cluster: []any{node("a"), pod("x", "a", 1)},
			pod:     preemptor(away("host", selects())),
			want:    "a: " + avoided + "a <- x (0)\nbest a",
		},
		{
			name: "matchLabelKeys ask for the pod's own value",
			why:  "Keys that the preemptor does not have are ignored.",
			cluster: []any{
				node("a"), pod("x", "a", 1, labels("app", "web", "rev", "1")), pod("y", "a", 1, labels("app", "web", "rev", "2")),
			},
			pod: preemptor(labels("rev", "2"), away("host", isWeb, func(t *podTerm) {
				t.MatchLabelKeys = []string{"rev", "absent"}
			})),
			want: "a: " + avoided + "a <- y (0)\nbest a",
		},
		{
			name: "mismatchLabelKeys ask for another value or none",
			cluster: []any{
				node("a"), pod("x", "a", 1, labels("app", "web", "rev", "1")), pod("y", "a", 1, labels("app", "web", "rev", "2")), pod("z", "a", 1, web),
			},
			pod: preemptor(labels("rev", "2"), away("host", isWeb, func(t *podTerm) {
				t.MismatchLabelKeys = []string{"rev", "absent"}
			})),
			want: "a: " + avoided + "a <- x, z (0)\nbest a",
		},
		{
			name: "keys do not make a nil selector match",
			cluster: []any{
				node("a"), pod("x", "a", 1, labels("rev", "2")),
			},
			pod: preemptor(labels("rev", "2"), away("host", nil, func(t *podTerm) {
				t.MatchLabelKeys = []string{"rev"}
			})),
			want: "a: fits",
		},
		{
			name: "the keys of another pod's term take that pod's value",
			cluster: []any{
				node("a"), pod("x", "a", 1, labels("rev", "1"), away("host", isWeb, func(t *podTerm) { t.MatchLabelKeys = []string{"rev"} })),
				pod("y", "a", 1, labels("rev", "2"), away("host", isWeb, func(t *podTerm) { t.MatchLabelKeys = []string{"rev"} })),
			},
			pod:  preemptor(labels("app", "web", "rev", "2")),
			want: "a: " + shunned + "a <- y (0)\nbest a",
		},
	})
}

// Namespace selectors that hold without any label, and namespaces that are not known (rules 7.13.14, 7.13.18
// and 7.13.19).
func TestOddNamespaces(t *testing.T) {
	isWeb := selects("app", "web")
	notProd := namespacesWith(&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "env", Operator: outrank.NotIn, Values: []string{"prod"}}}})
	prod := &outrank.Namespace{Name: "prod", Labels: map[string]string{"env": "prod"}}
	dev := &outrank.Namespace{Name: "dev", Labels: map[string]string{"env": "dev"}}
	inProd, inDev := pod("x", "a", 1, web, inNamespace("prod")), pod("y", "a", 1, web, inNamespace("dev"))
	unknown := pod("z", "a", 1, web, inNamespace("unknown"))
	const none = "a: " + avoided
	runRows(t, []row{
		{
			name: "in v1.36 it selects every namespace", release: outrank.V1_36,
			cluster: []any{prod, dev, node("a"), inProd, inDev}, pod: preemptor(away("host", isWeb, notProd)),
			want: none + "a <- dev/y, prod/x (0)\nbest a",
		},
		{
			name: "from v1.37 on those that it matches", release: outrank.V1_37,
			cluster: []any{prod, dev, node("a"), inProd, inDev}, pod: preemptor(away("host", isWeb, notProd)),
			want: none + "a <- dev/y (0)\nbest a",
		},
		{
			name: "of a pod that is there it does so in v1.36, too", release: outrank.V1_36,
			cluster: []any{prod, dev, node("a"), pod("x", "a", 1, away("host", isWeb, notProd))}, pod: preemptor(web, inNamespace("prod")),
			want: "a: fits",
		},
		{
			name: "a namespace that is not known is selected by none of the preemptor's", release: outrank.V1_37,
			cluster: []any{node("a"), unknown}, pod: preemptor(away("host", isWeb, notProd)),
			want: "a: fits",
		},
		{
			name:    "unless the selector is empty",
			cluster: []any{node("a"), unknown}, pod: preemptor(away("host", isWeb, namespacesWith(selects()))),
			want: none + "a <- unknown/z (0)\nbest a",
		},
		{
			name:    "for the terms of pods that are there it has no labels",
			cluster: []any{node("a"), pod("x", "a", 1, away("host", isWeb, notProd))}, pod: preemptor(web, inNamespace("unknown")),
			want: "a: " + shunned + "a <- x (0)\nbest a",
		},
	})
}

// What the API server has written into a selector counts in place of the label that the pod has by now
// (rule 7.13.17).
func TestKeysThatAreWrittenAlready(t *testing.T) {
	written := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "rev", Operator: outrank.In, Values: []string{"1"}}}}
	keys := func(t *podTerm) { t.MatchLabelKeys = []string{"rev"} }
	runRows(t, []row{{
		name:    "the value written",
		cluster: []any{node("a"), pod("x", "a", 1, labels("rev", "1")), pod("y", "a", 1, labels("rev", "2"))},
		pod:     preemptor(labels("rev", "2"), away("host", written, keys)),
		want:    "a: " + avoided + "a <- x (0)\nbest a",
	}})
}
