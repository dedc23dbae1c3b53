package gen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
)

// Namespaced words of controllers: the labels that they give each of their pods.
const (
	realIndexKey, realPodNameKey = "apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"
	realJobKey, realUIDKey       = "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"
	realTenantKey, realStageKey  = "tenant", "stage"
	realShardKey                 = "shard"
)

// realLabelRows are the rows in which labels decide, of pods and of namespaces.
var realLabelRows = []realRow{
	{"own-labels", func(w *realWorld) {
		for _, q := range w.cluster.Pods {
			q.Labels = withLabels(q.Labels, "id", q.Name)
		}
	}, func(p *outrank.Pod, name string) {
		p.Labels = withLabels(p.Labels, "id", name)
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{realAway(realSelector(realAppKey, "app-3", name))}
	}},
	{"terms", func(w *realWorld) { w.terms(2) }, realHash},
	{"terms-of-each", func(w *realWorld) { w.terms(1 << 30) }, realHash},
	{"deployment", func(w *realWorld) {
		w.replicas()
		w.budgets(50)
	}, func(p *outrank.Pod, name string) {
		realOwnApart(p, name)
		p.Volumes = []outrank.Volume{realVolume("data-"+name, realVolumeZone)}
	}},
	{"spread", (*realWorld).replicas, realOwnApart},
	{"affinity-zone", func(*realWorld) {}, func(p *outrank.Pod, name string) {
		realHash(p, name)
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: realSelector(realAppKey, "app-5", name), TopologyKey: outrank.ZoneLabel, NamespaceSelector: &outrank.LabelSelector{}}}
	}},
	{"sets-jobs", func(w *realWorld) {
		w.replicas()
		w.controllers()
	}, func(p *outrank.Pod, name string) {
		realOwnApart(p, name)
		p.Labels = withLabels(p.Labels, realIndexKey, "7", realPodNameKey, "asker-"+name, realHashKey, "5")
	}},
	{"namespace-selector", func(w *realWorld) {
		// Two of three namespaces are for production.
		for i, ns := range w.cluster.Namespaces {
			ns.Labels = withLabels(ns.Labels, realStageKey, []string{"production", "production", "test"}[i%3])
		}
	}, func(p *outrank.Pod, name string) {
		realHash(p, name)
		term := realAway(&outrank.LabelSelector{MatchLabels: map[string]string{realTierKey: "store"}})
		term.Namespaces, term.NamespaceSelector = nil, realSelector(realStageKey, "test", name)
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term}
	}},
	{"not-in", func(w *realWorld) {
		// One app in fifteen belongs to a tenant.
		w.relabel(func(q *outrank.Pod, a *realApp) map[string]string {
			if a.index%15 != 1 {
				return q.Labels
			}
			return withLabels(q.Labels, realTenantKey, fmt.Sprint("tenant-", a.index/15%40))
		})
	}, func(p *outrank.Pod, name string) {
		p.Labels = withLabels(p.Labels, realTenantKey, "tenant-1", realHashKey, name)
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{realAway(&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{
			{Key: realTenantKey, Operator: outrank.Exists},
			{Key: realTenantKey, Operator: outrank.NotIn, Values: []string{"tenant-1", "absent-" + name}},
		}})}
	}},
}

// realAway returns a term about the pods of all namespaces on a host.
func realAway(pods *outrank.LabelSelector) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{LabelSelector: pods, TopologyKey: realHostKey, NamespaceSelector: &outrank.LabelSelector{}}
}

// realOwnApart spreads the preemptor by zone and host among the pods of its Deployment, and keeps it off their hosts.
func realOwnApart(p *outrank.Pod, name string) {
	realHash(p, name)
	own := realSelector(realAppKey, "asker", name)
	p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{
		{MaxSkew: 1, TopologyKey: outrank.ZoneLabel, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: own},
		{MaxSkew: 1, TopologyKey: realHostKey, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: own},
	}
	p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: own, TopologyKey: realHostKey}}
}

// terms gives the pods of every third app three terms of anti-affinity: against their own app, against pods of the same
// shard of it, and against another app. One in twenty of these pods keeps away from the preemptor. An app has that many
// shards. With many of them hardly two pods have the same terms.
func (w *realWorld) terms(shards int) {
	for i, q := range w.cluster.Pods {
		a := w.owner[i]
		if a.index%3 != 0 {
			continue
		}
		own, shard := map[string]string{realAppKey: a.name}, fmt.Sprint(i%shards)
		q.Labels = withLabels(q.Labels, realShardKey, shard)
		other := map[string]string{realAppKey: fmt.Sprint("app-", a.index+1)}
		if a.index%60 == 3 {
			other = map[string]string{realAppKey: "asker", realTierKey: "front"}
		}
		q.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{
			{LabelSelector: &outrank.LabelSelector{MatchLabels: own}, TopologyKey: realHostKey},
			{LabelSelector: &outrank.LabelSelector{MatchLabels: withLabels(own, realShardKey, shard)}, TopologyKey: outrank.ZoneLabel},
			realAway(&outrank.LabelSelector{MatchLabels: other}),
		}
	}
}

// relabel replaces the labels of every pod.
func (w *realWorld) relabel(labels func(q *outrank.Pod, a *realApp) map[string]string) {
	for i, q := range w.cluster.Pods {
		q.Labels = labels(q, w.owner[i])
	}
}

// controllers makes two in five apps StatefulSets, and three in ten Jobs with a few pods each. Every pod of those has
// labels of its own.
func (w *realWorld) controllers() {
	w.relabel(func(q *outrank.Pod, a *realApp) map[string]string {
		number := q.Name[strings.LastIndexByte(q.Name, '-')+1:]
		ordinal, err := strconv.Atoi(number)
		switch kind := a.index % 10; {
		case err != nil || q.Labels[realAppKey] != a.name || kind >= 7:
			return q.Labels

		case kind < 4:
			q.Owner = outrank.Owner{Kind: "StatefulSet", Name: a.name}
			return withLabels(q.Labels, realIndexKey, strconv.Itoa(ordinal%50), realPodNameKey, q.Name, "controller-revision-hash", a.labels[realHashKey])

		default:
			job := fmt.Sprintf("%s-%d", a.name, ordinal%7)
			q.Owner = outrank.Owner{Kind: "Job", Name: job}
			return withLabels(q.Labels, realJobKey, job, "job-name", job, realUIDKey, "uid-"+job, "controller-uid", "uid-"+job)
		}
	})
}
