package kueue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Caveat is a reason why an answer may not come true. It names an object.
type Caveat struct {
	Object string `json:"object"`
	Text   string `json:"text"`
}

// model is a cluster in the form in which package tenancy decides about it.
type model struct {
	*Cluster
	*Settings
	config tenancy.Config
	// admitted lists the workloads that have quota.
	admitted []tenancy.Workload
	caveats  []Caveat
}

// caveat adds a caveat about an object.
func (m *model) caveat(object, format string, args ...any) {
	m.caveats = append(m.caveats, Caveat{object, fmt.Sprintf(format, args...)})
}

// flavored returns the name under which quotas count a resource of a flavor.
func flavored(r resource.Name, flavor string) resource.Name { return r + "@" + resource.Name(flavor) }

// quotaOf returns the amounts of resource groups, with the weight of fair sharing. A limit that is not set does
// not apply.
func quotaOf(groups []resourceGroup, fair *fairSharing) tenancy.Quota {
	q := tenancy.Quota{Nominal: resource.List{}, BorrowLimit: resource.List{}, LendLimit: resource.List{}, Weight: fair.weight()}
	for _, g := range groups {
		for _, f := range g.Flavors {
			for _, r := range f.Resources {
				name := flavored(r.Name, f.Name)
				q.Nominal[name] = r.Nominal
				if r.Borrowing != nil {
					q.BorrowLimit[name] = *r.Borrowing
				}
				if r.Lending != nil {
					q.LendLimit[name] = *r.Lending
				}
			}
		}
	}
	return q
}

// weight returns the weight of a share. It is nil for the default.
func (f *fairSharing) weight() *float64 {
	if f == nil || f.Weight == nil {
		return nil
	}
	w := float64(f.Weight.MilliValue()) / 1000
	return &w
}

// policies maps Kueue's names of policies to those of package tenancy. An empty name means Never.
var policies = map[string]tenancy.Take{
	"": tenancy.Nobody, "Never": tenancy.Nobody, "LowerPriority": tenancy.Lower, "LowerOrNewerEqualPriority": tenancy.LowerOrNewer, "Any": tenancy.Anybody,
}

// build makes the model of a dump. Its errors name objects.
func build(c *Cluster, s *Settings) (*model, error) {
	m := &model{Cluster: c, Settings: s}
	for _, x := range c.cohorts {
		m.config.Cohorts = append(m.config.Cohorts, tenancy.Cohort{Name: x.Metadata.Name, Parent: x.parent(), Quota: quotaOf(x.Spec.Groups, x.Spec.Fair)})
	}
	for _, x := range c.queues {
		q, err := m.queue(x)
		if err != nil {
			return nil, err
		}
		m.config.Queues = append(m.config.Queues, q)
	}

	m.dropGatedSettings()
	for _, w := range c.workloads {
		if w.holds() {
			m.admit(w)
		}
	}
	return m, nil
}

// dropGatedSettings drops the settings that a feature gate makes ineffective, and adds caveats about settings.
func (m *model) dropGatedSettings() {
	if m.protection != (tenancy.Protection{}) && !m.gate("PreemptionProtection", false) {
		settings := *m.Settings
		settings.protection = tenancy.Protection{}
		m.Settings = &settings
		m.caveat("configuration", "preemptionProtection counts with the feature gate PreemptionProtection alone, which is off")
	}
	for _, part := range m.unknown {
		m.caveat("configuration", "%s is not looked at", part)
	}
	if !m.given {
		m.caveat("configuration", "without Kueue's own nobody compares shares and no window of protection counts: give it with --kueue-config")
	}
}

// queue returns a ClusterQueue in the form of package tenancy.
func (m *model) queue(x *clusterQueue) (tenancy.Queue, error) {
	q := tenancy.Queue{Name: x.Metadata.Name, Cohort: x.cohort(), Quota: quotaOf(x.Spec.Groups, x.Spec.Fair), Labels: x.Metadata.Labels}
	object := "clusterqueue " + q.Name
	if p := x.Spec.Preemption; p != nil {
		if err := p.into(&q.Policy); err != nil {
			return q, fmt.Errorf("%s: %w", object, err)
		}
	}

	// Without a Configuration the gates are not known, and the rules in the dump are assumed to count.
	name := x.Metadata.Annotations[rulesAnnotation]
	if name == "" {
		return q, nil
	}
	if !m.gate("ConfigurablePreemptions", !m.given) {
		m.caveat(object, "its annotation %s counts with the feature gate ConfigurablePreemptions alone, which is off", rulesAnnotation)
		return q, nil
	}
	q.Policy.Further = m.extraRules(object, name)
	return q, nil
}

// into sets which workloads a ClusterQueue may preempt.
func (p *preemptionSpec) into(to *tenancy.Policy) error {
	for _, f := range []struct {
		field, name string
		to          *tenancy.Take
	}{{"withinClusterQueue", p.Within, &to.Within}, {"reclaimWithinCohort", p.Reclaim, &to.Reclaim}} {
		take, ok := policies[f.name]
		if !ok {
			return fmt.Errorf("spec.preemption.%s: there is no policy %q", f.field, f.name)
		}
		*f.to = take
	}
	if b := p.Borrowing; b != nil && b.Policy == "LowerPriority" {
		to.WhileBorrowing, to.BorrowUpTo = true, b.Most
	}
	return nil
}

// extraRules returns the rules of a PreemptionConfig. A rule that cannot be decided about here is left out,
// with a caveat.
func (m *model) extraRules(object, name string) (out []tenancy.Selection) {
	config, ok := m.rules[name]
	if !ok {
		m.caveat(object, "the preemptionconfig %s is not in the dump, and its rules do not count", name)
		return nil
	}

	for i, raw := range config.Spec.Rules {
		// An unknown field may narrow the rule, which would then match too often.
		var r rule
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			m.caveat("preemptionconfig "+name, "rule %d does not count: %v", i+1, err)
			continue
		}
		if r.Trigger = r.Activation.Trigger; r.Trigger == "QuotaFeasibleAndInsufficientTopology" {
			m.caveat("preemptionconfig "+name, "rule %s is about topologies, which are not looked at, and does not count", r.Name)
			continue
		}
		out = append(out, r.Selection)
	}
	return out
}

// admit adds a workload that has quota to the model.
func (m *model) admit(w *workload) {
	object := "workload " + string(w.Metadata.key())
	admission := w.admission()
	x := tenancy.Workload{
		Name: string(w.Metadata.key()), Queue: admission.ClusterQueue, Boost: m.boost(object, w.Metadata.Annotations),
		Uses: resource.List{}, Queued: w.Metadata.Created, Admitted: w.condition("QuotaReserved").At,
		LocalQueue: w.Metadata.Namespace + "/" + w.Spec.Queue, Class: w.class(), Labels: w.Metadata.Labels, Leaving: w.condition("Evicted") != nil,
	}

	// If the queue is not in the dump, it is not known whose quota the workload uses.
	if m.clusterQueue(x.Queue) == nil {
		m.caveat(object, "its clusterqueue %s is not in the dump, and what it uses does not count", x.Queue)
		return
	}

	if w.Spec.Priority != nil {
		x.Priority = *w.Spec.Priority
	}
	if c := w.condition("Admitted"); c != nil {
		x.Started = c.At
	}

	// A quota may have been removed since the workload got its share of it.
	for _, s := range admission.PodSets {
		for r, q := range s.Usage {
			name := flavored(r, s.Flavors[r])
			if !m.known(name) {
				m.caveat(object, "no quota is about its %s of the flavor %q, which does not count", r, s.Flavors[r])
				continue
			}
			x.Uses[name] = x.Uses[name].Add(w.unfinished(s.Name, s.Count, r, q))
		}
	}
	m.admitted = append(m.admitted, x)
}

// unfinished returns the part of a pod set's usage that belongs to pods that have not finished. Kueue reclaims
// the quota of the others.
func (w *workload) unfinished(set string, count *int64, r resource.Name, q resource.Quantity) resource.Quantity {
	for _, done := range w.Status.Reclaimable {
		if done.Name == set && count != nil && *count > 0 && done.Count > 0 {
			// The pods of a set are equal, so that each has the same part of the usage.
			each := resource.Amount(r, q) / *count
			return quantityOf(r, each*max(0, *count-done.Count))
		}
	}
	return q
}

// quantityOf returns an amount as a quantity. An amount of cpu is in thousandths.
func quantityOf(r resource.Name, amount int64) resource.Quantity {
	if r == resource.CPU {
		return resource.NewMilli(amount)
	}
	return resource.New(amount)
}

// known reports whether any queue or cohort has a quota for a resource of a flavor.
func (m *model) known(name resource.Name) bool {
	has := func(l resource.List) bool { _, ok := l[name]; return ok }
	return slices.ContainsFunc(m.config.Queues, func(q tenancy.Queue) bool { return has(q.Nominal) }) ||
		slices.ContainsFunc(m.config.Cohorts, func(c tenancy.Cohort) bool { return has(c.Nominal) })
}

// boost reads the annotation that raises a priority. If the annotation is ineffective, it returns 0 and adds a
// caveat.
func (m *model) boost(object string, annotations map[string]string) int32 {
	text := annotations[boostAnnotation]
	if text == "" {
		return 0
	}

	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil:
		m.caveat(object, "its annotation %s is no number, and does not count: %q", boostAnnotation, text)
		return 0
	case !m.gate("PriorityBoost", !m.given):
		m.caveat(object, "its annotation %s counts with the feature gate PriorityBoost alone, which is off", boostAnnotation)
		return 0
	case !m.given:
		m.caveat(object, "its annotation %s counts, as it does with the feature gate PriorityBoost", boostAnnotation)
	}
	return int32(n)
}

// Latest returns the latest time in a dump.
func (c *Cluster) Latest() (latest time.Time) {
	see := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for _, w := range c.workloads {
		see(w.Metadata.Created)
		for _, x := range w.Status.Conditions {
			see(x.At)
		}
	}
	for _, q := range c.queues {
		see(q.Metadata.Created)
		for _, x := range q.Status.Conditions {
			see(x.At)
		}
	}
	return latest
}

// clusterQueue returns the queue with a name. It is nil if the dump does not have it.
func (m *model) clusterQueue(name string) *clusterQueue {
	at := slices.IndexFunc(m.queues, func(q *clusterQueue) bool { return q.Metadata.Name == name })
	if at < 0 {
		return nil
	}
	return m.queues[at]
}
