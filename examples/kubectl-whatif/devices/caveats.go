package main

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// caveat is a reason why the answer may not come true.
type caveat struct {
	Object string `json:"object"`
	Text   string `json:"text"`
}

// String returns "object: text".
func (c caveat) String() string { return c.Object + ": " + c.Text }

// cutShort returns the caveat about nodes on which the search for devices was cut short.
func cutShort(nodes string) caveat {
	return caveat{"the dump", "has too many ways to share out the devices of " + nodes + ": the search was ended after as many steps as one decision may take, and there may be some that the pod could have; where kube-scheduler's own search takes ten seconds, it ends the attempt in an error"}
}

// lacking refuses a dump without any objects about devices if some pod depends on devices.
func (d *dump) lacking() error {
	o := &d.objects
	if len(o.Claims)+len(o.Slices)+len(o.Classes) > 0 || len(o.Pods) == 0 {
		return nil
	}
	return fmt.Errorf("%s holds no resourceclaims, no resourceslices and no deviceclasses, without which there is no answer about devices; list them, too: %s", d.source, dumpCommand)
}

// caveats are about the time of the answer, about kinds that the dump lacks, and about oddities in it.
func (d *dump) caveats() (out []caveat) {
	add := func(object, format string, args ...any) {
		out = append(out, caveat{object, fmt.Sprintf(format, args...)})
	}
	for _, text := range d.doubts {
		add("the dump", "%s", text)
	}

	o := &d.objects
	for _, lacks := range []struct {
		kind string
		n    int
		so   string
	}{
		{"resourceslices", len(o.Slices), "no node has a device: no driver publishes any, and it may not be running"},
		{"deviceclasses", len(o.Classes), "every request names a class that is not there"},
		{"resourceclaims", len(o.Claims), "every device counts as free"},
	} {
		if lacks.n == 0 && len(o.Pods) > 0 {
			add("the dump", "holds no %s, so that %s; if the cluster has some, add them to kubectl get", lacks.kind, lacks.so)
		}
	}

	if len(d.cluster.Classes) == 0 {
		add("the dump", "holds no priority classes, and every cluster has some; add priorityclasses to kubectl get")
	}
	if len(d.cluster.Budgets) == 0 {
		add("the dump", "holds no disruption budgets; if the cluster has any, add pdb to kubectl get")
	}

	return append(out, d.oddities()...)
}

// oddities reports claims and pods that refer to things that the dump lacks. All oddities of one kind share one
// caveat.
func (d *dump) oddities() (out []caveat) {
	found := sightings{}
	d.oddClaims(found)
	d.oddPods(found)
	for _, what := range slices.Sorted(maps.Keys(found)) {
		out = append(out, caveat{"the dump", fmt.Sprintf(what, some(slices.Sorted(maps.Keys(found[what])), mostNear))})
	}
	return out
}

// sightings maps the text of an oddity to the names that it concerns.
type sightings map[string]map[string]bool

// see records a name for an oddity.
func (s sightings) see(what, name string) {
	if s[what] == nil {
		s[what] = map[string]bool{}
	}
	s[what][name] = true
}

// oddClaims finds claims that are reserved for pods or hold devices that the dump does not have, and claims
// that are reserved but hold nothing.
func (d *dump) oddClaims(found sightings) {
	pods := map[outrank.Key]bool{}
	for _, p := range d.cluster.Pods {
		pods[p.Key()] = true
	}
	devices := map[string]bool{}
	for _, s := range d.objects.Slices {
		for i := range s.Spec.Devices {
			devices[s.Spec.Driver+"/"+s.Spec.Pool.Name+"/"+s.Spec.Devices[i].Name] = true
		}
	}

	for _, c := range d.objects.Claims {
		status := &c.Status
		for i := range status.ReservedFor {
			if r := &status.ReservedFor[i]; r.APIGroup == "" && r.Resource == "pods" && !pods[outrank.NewKey(c.Namespace, r.Name)] {
				found.see(strangers, fmt.Sprintf("%s for %s", claimKey(c), r.Name))
			}
		}

		// A claim that holds no devices is odd only if it is reserved.
		if status.Allocation == nil {
			if len(status.ReservedFor) > 0 {
				found.see(empty, string(claimKey(c)))
			}
			continue
		}

		for _, r := range status.Allocation.Devices.Results {
			if !devices[r.Driver+"/"+r.Pool+"/"+r.Device] {
				found.see(unknown, string(claimKey(c)))
			}
		}
	}
}

// oddPods finds pods with claims that are nominated to a node, and running pods whose claims the dump lacks.
func (d *dump) oddPods(found sightings) {
	for _, p := range d.cluster.Pods {
		if p.NodeName == "" && p.NominatedNodeName != "" && concerns(p) {
			found.see(nominated, fmt.Sprintf("%s to %s", p.Key(), p.NominatedNodeName))
		}
	}

	known := map[outrank.Key]bool{}
	for _, c := range d.objects.Claims {
		known[claimKey(c)] = true
	}
	for _, p := range d.objects.Pods {
		if p.Spec.NodeName == "" {
			continue
		}
		for _, key := range claimsOf(p) {
			if !known[key] {
				found.see(missing, fmt.Sprintf("%s of pod %s", key, p.Name))
			}
		}
	}
}

// The oddities of a dump. Each text is followed by the names that it concerns.
const (
	strangers = "reserves claims for pods that it does not hold, so that these claims do not come free: %s"
	empty     = "reserves claims that hold no devices: %s"
	unknown   = "has claims with devices that no resourceslice of it has, which hold nothing for anybody: %s"
	nominated = "has pods with claims that are nominated to nodes; which devices they are to get stands in no dump, so that none are kept for them, and with DRAPreemption they might have to wait for claims on their way: %s"
	missing   = "lacks claims of running pods, so that what they hold counts as free: %s"
)

// claimsOf returns the claims of a pod that exist according to the pod: those that it names, and those that
// were made for it from templates.
func claimsOf(p *corev1.Pod) (keys []outrank.Key) {
	for i := range p.Spec.ResourceClaims {
		ref := &p.Spec.ResourceClaims[i]
		if ref.ResourceClaimName != nil {
			keys = append(keys, outrank.NewKey(p.Namespace, *ref.ResourceClaimName))
		}
		for _, s := range p.Status.ResourceClaimStatuses {
			if s.Name == ref.Name && s.ResourceClaimName != nil && ref.ResourceClaimName == nil {
				keys = append(keys, outrank.NewKey(p.Namespace, *s.ResourceClaimName))
			}
		}
	}
	return keys
}

// aboutPod returns caveats about the pod in question: claims that were made here, and claims that are missing.
func (d *dump) aboutPod(s *subject, made []outrank.Key) (out []caveat) {
	object := "pod " + string(s.pod.Key())
	add := func(format string, args ...any) { out = append(out, caveat{object, fmt.Sprintf(format, args...)}) }

	p := d.podOf(s.pod.Key())
	if p == nil {
		add("claims no devices, and both ways decide alike; kubectl whatif says more about it")
		return out
	}

	for _, key := range made {
		// For a pod that does not exist yet this is obvious.
		if s.from == fromDump {
			add("its claim %s was not made yet, and until it is kube-scheduler does not look at the pod; this is the answer once the claim is made from its template", key)
		}
	}

	for i := range p.Spec.ResourceClaims {
		ref := &p.Spec.ResourceClaims[i]
		if ref.ResourceClaimTemplateName == nil || slices.ContainsFunc(p.Status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool { return s.Name == ref.Name }) {
			continue
		}
		add("its claim %s is made from resourceclaimtemplate %s, which is not in the dump; add resourceclaimtemplates to kubectl get", ref.Name, outrank.NewKey(p.Namespace, *ref.ResourceClaimTemplateName))
	}

	if s.pod.Scheduler() != outrank.DefaultScheduler {
		add("scheduler %s places the pod, by rules of its own; this is what %s would do", s.pod.Scheduler(), outrank.DefaultScheduler)
	}
	if s.from == fromManifest && d.cluster.Skipped["ResourceQuota"] > 0 {
		add("whether resource quotas let it be created is not looked at; kubectl whatif -f says that")
	}
	if s.pod.Terminating() {
		add("is being deleted, and kube-scheduler passes it over")
	}
	if s.pod.Gated() {
		add("kube-scheduler leaves the pod alone until its scheduling gates are gone; this is what happens then")
	}

	if s.pod.Group != "" {
		add("the pod is of group %s; the answer is about the pod by itself, and KEP-5690 leaves out preemption for devices by pods of groups", s.pod.Group)
	}
	return out
}
