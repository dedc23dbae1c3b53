package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/planner/quota"
)

// caveats lists reasons why the answer may not come true: gaps in the dump, and peculiarities of the pod. c is
// the cluster after the changes, which may hold objects that the dump lacks.
func caveats(opts *options, dump, c *outrank.Cluster, q *asking) []Warning {
	all := allCaveats(opts, dump, c, q)
	// A sample is a small cluster, and lacks nothing.
	if opts.sampled() {
		all = slices.DeleteFunc(all, func(w Warning) bool { return w.Object == dumpLacks("").Object })
	}
	return all
}

// allCaveats returns the caveats in the order in which they are told. q is nil if the question is
// about no single pod.
func allCaveats(opts *options, dump, c *outrank.Cluster, q *asking) []Warning {
	if q == nil {
		return slices.Concat(aboutGroups(c, nil), aboutNominations(opts, dump), aboutPods(dump), aboutKinds(dump), aboutNamespaces(c, nil))
	}
	return slices.Concat(aboutTemplate(opts, q), aboutPod(opts, q), aboutGroups(c, q), aboutNominations(opts, dump), aboutClaims(c, q),
		aboutPods(dump), aboutKinds(dump), aboutNamespaces(c, q))
}

// aboutClock warns if the time at which the question is asked is doubtful.
func aboutClock(opts *options, c *outrank.Cluster, now time.Time) (out []Warning) {
	if opts.sampled() {
		// A sample brings its time along.
		return nil
	}
	for _, text := range clock.Doubts(c, now, !opts.now.IsZero()) {
		out = append(out, Warning{Object: theDump, Text: text})
	}
	return out
}

// aboutQuotas names quotas that depend on fields of pods that are not read from a dump.
func aboutQuotas(l *quotas.Limits) (out []Warning) {
	for _, q := range l.Quotas {
		for _, r := range q.Scopes {
			switch r.Scope {
			case quota.Terminating, quota.NotTerminating, quota.CrossNamespacePodAffinity:
				out = append(out, Warning{"resourcequota " + string(outrank.NewKey(q.Namespace, q.Name)), "scope " + string(r.Scope),
					"deadlines, and preferred terms of affinity, are not read from the pods of a dump, which count as if they had none where they leave and are recreated"})
			}
		}
	}
	return out[:min(len(out), mostNear)]
}

// aboutTemplate warns that an answer about one pod of a DaemonSet says little about the others. It does not
// apply if the question is about one node, as each pod of a DaemonSet is, or about all pods of the DaemonSet.
func aboutTemplate(opts *options, q *asking) []Warning {
	if q.template == nil || q.template.Kind != "DaemonSet" || opts.ask == askWhyNot || opts.ask == askOnNode || opts.whole(q.template) {
		return nil
	}
	return []Warning{{q.template.String(), "", "a DaemonSet has a pod on each node that takes one, and each may push out others there; " +
		"here a pod goes where that is best; --why-not NODE asks about one node"}}
}

// aboutPod names reasons for which kube-scheduler would not look at the pod at present. With a configuration
// the profile of the pod's own scheduler decides, so that another scheduler is no caveat then.
func aboutPod(opts *options, q *asking) []Warning {
	p := q.pod
	var out []Warning
	add := func(field, format string, args ...any) {
		out = append(out, Warning{"pod " + string(p.Key()), field, fmt.Sprintf(format, args...)})
	}

	if p.Gated() {
		add("spec.schedulingGates", "kube-scheduler leaves the pod alone until its scheduling gates are gone (%s); this is what happens then",
			some(p.SchedulingGates, mostNear, len(p.SchedulingGates)))
	}

	if opts.scheduler == "" && p.Scheduler() != outrank.DefaultScheduler {
		add("spec.schedulerName", "scheduler %s places the pod, by rules of its own; this is what %s would do", p.Scheduler(), outrank.DefaultScheduler)
	}

	if p.NodeName != "" && !isDeferred(p) {
		add("spec.nodeName", "no scheduler looks at a pod that has a node: the kubelet of %s takes it, pushes out what stands in its way, or fails it; "+
			"this is what a scheduler would do for a pod that may go nowhere else", p.NodeName)
	}

	if p.Terminating() {
		add("metadata.deletionTimestamp", "the pod is being deleted, and kube-scheduler passes it over")
	}
	if p.Finished() {
		add("status.phase", "the pod has ended, and kube-scheduler passes it over")
	}
	return out
}

// aboutNominations warns of pods that other schedulers have nominated. Room is kept for them only if their
// schedulers are profiles of the same kube-scheduler, which only a configuration tells.
func aboutNominations(opts *options, c *outrank.Cluster) []Warning {
	if opts.scheduler != "" {
		return nil
	}

	pods, names := 0, map[string]bool{}
	for _, p := range c.Pods {
		// Pods that have ended or are being deleted need no room any more.
		if p.NodeName == "" && p.NominatedNodeName != "" && !p.Finished() && !p.Terminating() && p.Scheduler() != outrank.DefaultScheduler {
			pods, names[p.Scheduler()] = pods+1, true
		}
	}

	if pods == 0 {
		return nil
	}
	return []Warning{dumpLacks("does not say which schedulers are profiles of one kube-scheduler, which then leave room to each other's nominated pods; "+
		"%s of %s here, and no room is left to %s: name the profiles with --scheduler-config",
		subject(pods, "nominated pod is", "nominated pods are"), some(slices.Sorted(maps.Keys(names)), mostNear, len(names)), map[bool]string{true: "it", false: "them"}[pods == 1])}
}

// aboutClaims names claims of the pod about which the dump says less than kube-scheduler knows.
func aboutClaims(c *outrank.Cluster, q *asking) []Warning {
	known := make(map[outrank.Key]bool, len(c.Claims))
	for _, vc := range c.Claims {
		known[vc.Key()] = true
	}

	var out []Warning
	add := func(name, format string, args ...any) {
		out = append(out, Warning{"persistentvolumeclaim " + string(outrank.NewKey(q.pod.Namespace, name)), "", fmt.Sprintf(format, args...)})
	}

	for i := range q.pod.Volumes {
		v := &q.pod.Volumes[i]
		switch there := known[outrank.NewKey(q.pod.Namespace, v.Claim)]; {
		case v.Claim == "":
		case !there && v.Ephemeral && q.from != fromDump:
			// The claims of a pod that was not created yet are still to be made.
			add(v.Claim, "the claim is made along with the pod; on which nodes it can get a volume is not looked at")
		case !there && v.Ephemeral:
			// The claim of a pod that waits may be made at any moment.
			add(v.Claim, "not in the dump; if it was not made yet, kube-scheduler pushes nobody out for the pod until it is")
		case !there:
			add(v.Claim, "not in the dump; if the cluster does not have it, kube-scheduler pushes nobody out for the pod "+
				"(persistentvolumeclaim %q not found)", v.Claim)
		case v.State == "" && v.Driver != "" && v.Handle == "":
			// A claim that waits for its first consumer gets its volume once a node is chosen.
			add(v.Claim, "the claim has no volume yet, and gets one where the pod goes; on which nodes it can is not looked at")
		}
	}
	return out
}

// aboutPods warns of a dump that seems to lack pods, and of pods that no API server has seen.
func aboutPods(c *outrank.Cluster) []Warning {
	namespaces, running := map[string]bool{}, 0
	for _, p := range c.Pods {
		// Every cluster has pods of several namespaces, because its system pods have one of their own.
		namespaces[p.NamespaceName()] = true
		if p.NodeName != "" {
			running++
		}
	}

	var out []Warning
	switch {
	case len(c.Pods) == 0:
		out = append(out, dumpLacks("holds no pods, so that every node counts as empty; dump them with %s", dumpCommand))
	case running == 0:
		out = append(out, dumpLacks("holds no pod that has a node, so that every node counts as empty; dump all pods with %s", dumpCommand))
	case len(namespaces) == 1:
		out = append(out, dumpLacks("holds pods of the namespace %s alone; if the cluster has others, they are missing: dump with -A",
			slices.Sorted(maps.Keys(namespaces))[0]))
	}
	return append(out, aboutLimits(c)...)
}

// aboutLimits names pods with limits and without requests, which an API server would have filled in.
func aboutLimits(c *outrank.Cluster) []Warning {
	var odd []string
	for _, p := range c.Pods {
		if limitsAlone(p) {
			odd = append(odd, string(p.Key()))
		}
	}

	if len(odd) == 0 {
		return nil
	}
	return []Warning{dumpLacks("has limits without requests in %s, as no API server leaves them; they count as asking for nothing: %s",
		console.Plural(len(odd), "pod"), some(odd, 3, len(odd)))}
}

// limitsAlone reports whether a container limits a resource that it does not request.
func limitsAlone(p *outrank.Pod) bool {
	alone := func(c outrank.Container) bool {
		for name := range c.Limits {
			if _, ok := c.Requests[name]; !ok {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(p.Containers, alone) || slices.ContainsFunc(p.InitContainers, alone)
}

// aboutKinds names kinds of which the dump has no objects.
func aboutKinds(c *outrank.Cluster) []Warning {
	var out []Warning
	if len(c.Budgets) == 0 {
		out = append(out, dumpLacks("holds no disruption budgets; if the cluster has any, add pdb to kubectl get"))
	}

	if len(c.Classes) == 0 {
		out = append(out, dumpLacks("holds no priority classes, and every cluster has some; add priorityclasses to kubectl get"))
	}

	// A pod with claims is kept from nodes by volumes only if the dump has its claims.
	if len(c.Claims) == 0 {
		using := 0
		for _, p := range c.Pods {
			if slices.ContainsFunc(p.Volumes, func(v outrank.Volume) bool { return v.Claim != "" }) {
				using++
			}
		}
		if using > 0 {
			out = append(out, dumpLacks("holds no volume claims, though %s, so that no volume limits anything; add pv,pvc,sc,csinodes,csidrivers to kubectl get",
				subject(using, "pod has one", "pods have some")))
		}
	}
	return out
}

// aboutNamespaces warns if the namespace of the pod may not exist, and if the labels of a namespace matter and
// are not known.
func aboutNamespaces(c *outrank.Cluster, q *asking) []Warning {
	var out []Warning
	if q != nil && q.from != fromDump && q.pod.NamespaceName() != outrank.DefaultNamespace && len(c.Namespaces) == 0 && !inUse(c, q.pod.NamespaceName()) {
		out = append(out, dumpLacks("knows nothing of the namespace %s; if there is none, the pod cannot be created", q.pod.NamespaceName()))
	}

	selecting := 0
	missing := missingNamespaces(c, q)
	for _, p := range c.Pods {
		if selectsNamespaces(p) {
			selecting++
		}
	}
	if q != nil && q.from != fromDump && selectsNamespaces(q.pod) {
		selecting++
	}

	if selecting > 0 && len(missing) > 0 {
		out = append(out, dumpLacks("does not hold %s %s, and %s by label; their labels count as missing: add namespaces to kubectl get",
			noun(len(missing), "namespace"), some(missing, 3, len(missing)), subject(selecting, "pod selects namespaces", "pods select namespaces")))
	}
	return out
}

// missingNamespaces returns the namespaces of pods that the dump does not hold, sorted.
func missingNamespaces(c *outrank.Cluster, q *asking) []string {
	known := make(map[string]bool, len(c.Namespaces))
	for _, ns := range c.Namespaces {
		known[ns.Name] = true
	}

	missing := map[string]bool{}
	for _, p := range c.Pods {
		if ns := p.NamespaceName(); !known[ns] {
			missing[ns] = true
		}
	}
	if q != nil && !known[q.pod.NamespaceName()] {
		missing[q.pod.NamespaceName()] = true
	}
	return slices.Sorted(maps.Keys(missing))
}

// selectsNamespaces reports whether the labels of namespaces matter to the pod's affinity.
func selectsNamespaces(p *outrank.Pod) bool {
	return slices.ContainsFunc(slices.Concat(p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity), func(t outrank.PodAffinityTerm) bool {
		return t.NamespaceSelector != nil && !t.NamespaceSelector.Empty()
	})
}

// inUse reports whether anything in the dump is in the namespace, so that it exists.
func inUse(c *outrank.Cluster, namespace string) bool {
	return slices.ContainsFunc(c.Pods, func(p *outrank.Pod) bool { return p.NamespaceName() == namespace }) ||
		slices.ContainsFunc(c.Budgets, func(b *outrank.PodDisruptionBudget) bool { return b.NamespaceName() == namespace }) ||
		slices.ContainsFunc(c.Claims, func(vc *outrank.VolumeClaim) bool { return cmp.Or(vc.Namespace, outrank.DefaultNamespace) == namespace })
}

// noun returns the noun in the singular or plural that the number asks for.
func noun(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// subject returns the number with one of two texts: one for 1, more for any other number.
func subject(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// writeCaveats prints the caveats, before the answer that depends on them.
func writeCaveats(p console.Page, caveats []Warning) {
	if len(caveats) == 0 {
		return
	}

	p.Line("\nBefore you rely on this:")
	var texts []string
	for _, w := range caveats {
		texts = append(texts, caveatText(w))
	}
	p.Items(texts)
}

// caveatText returns a caveat in words. A caveat about the dump is a sentence; any other begins with its
// object.
func caveatText(w Warning) string {
	if w.Object == theDump {
		return w.Object + " " + w.Text
	}
	return w.String()
}
