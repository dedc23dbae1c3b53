package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Text returns the report as text for people. It uses only the fields of the report, whose lists
// bound its length.
func (r *Report) Text() string {
	var w lineWriter
	w.line(0, r.Summary())
	if len(r.Failures) > 0 {
		w.line(0, "What the check found:")
		for i := range r.Failures {
			w.line(1, r.Failures[i].text())
		}
	}
	if len(r.Missing) > 0 {
		w.line(0, fmt.Sprintf("If every pod went that may be evicted, there would still be missing: %s.", amountsText(r.Missing)))
	}

	r.writeTiers(&w)
	if r.Stay.Len() > 0 {
		w.line(1, fmt.Sprintf("Not to be evicted: %s.", pods(r.Stay)))
	}

	if r.Search != nil {
		w.line(0, "How good that is: "+searchText(r.Search)+".")
	}
	if r.Kubelet != nil {
		w.line(0, r.Kubelet.text())
	}
	return w.String()
}

// lineWriter collects the lines of a text.
type lineWriter struct{ strings.Builder }

// line writes a line.
func (w *lineWriter) line(indent int, text string) {
	w.WriteString(strings.Repeat("  ", indent) + text + "\n")
}

// writeTiers writes the tiers with their rounds.
func (r *Report) writeTiers(w *lineWriter) {
	if len(r.Tiers.Items) > 0 {
		w.line(0, "Who may be evicted, and who is:")
	}
	for i := range r.Tiers.Items {
		// If not enough can be freed, nobody is evicted, and no tier has to cover anything.
		tier := &r.Tiers.Items[i]
		w.line(1, tier.text(len(r.Missing) == 0))

		rounds := &tier.Rounds
		for j := range rounds.Items {
			w.line(2, fmt.Sprintf("round %d: %s", j+1, rounds.Items[j].text()))
		}
		if rounds.More > 0 {
			w.line(2, "and "+prose.Plural(rounds.More, "round")+" more")
		}
	}
	if more := r.Tiers.More; more > 0 {
		w.line(1, "and "+prose.Plural(more, "tier")+" more")
	}
}

// searchText says in a line how good the chosen pods are.
func searchText(s *kubeletadmit.Certificate) string {
	steps := prose.Plural(s.Steps, "step")
	if s.Optimal {
		return "the best there is, found in " + steps
	}

	// Sets are compared tier by tier, so the first difference shows where a better set may save a
	// pod.
	for _, t := range s.Tiers {
		if t.Chosen != t.AtLeast {
			return fmt.Sprintf("the best found in %s: %s, and at least %d", steps, countText(t), t.AtLeast)
		}
	}
	return fmt.Sprintf("the fewest pods there are, found in %s; others may request less", steps)
}

// countText says how many pods of the tier go: "1 Burstable pod of priority 10".
func countText(t kubeletadmit.TierCount) string {
	text := prose.Plural(t.Chosen, string(t.Class)+" pod")
	if t.Priority != nil {
		text += fmt.Sprintf(" of priority %d", *t.Priority)
	}
	return text
}

// text says in a line what the kubelet would do.
func (k *Kubelet) text() string {
	text := fmt.Sprintf("The kubelet would evict %s", prose.Plural(k.Evicts, "pod"))
	if k.Spared.Len()+k.Instead.Len() == 0 {
		return text + ", the same."
	}
	if k.Spared.Len() > 0 {
		text += "; of these, there stay: " + pods(k.Spared)
	}
	if k.Instead.Len() > 0 {
		text += "; in their place there go: " + pods(k.Instead)
	}
	return text + "."
}

// pods lists the pods for a sentence.
func pods(l List[Pod]) string {
	names := make([]string, len(l.Items))
	for i := range l.Items {
		names[i] = l.Items[i].text()
	}
	return prose.List(names, l.More)
}

// Summary returns the answer in a sentence.
func (r *Report) Summary() string {
	pod, node := r.Pod.text(), "node "+prose.Name(r.Node)
	switch r.Outcome {
	case kubeletadmit.Admitted:
		return fmt.Sprintf("%s starts on %s, and nobody is evicted.", pod, node)
	case kubeletadmit.AdmittedAfterEvicting:
		n := 0
		for i := range r.Tiers.Items {
			n += r.Tiers.Items[i].Rounds.Len()
		}
		return fmt.Sprintf("%s starts on %s once %s been evicted.", pod, node, have(n))
	}

	text := fmt.Sprintf("%s does not start on %s: %s", pod, node, prose.Text(r.Reason))
	if !r.Critical && len(r.Failures) > 0 {
		text += "; it is not critical, so that nobody is evicted for it"
	}
	return text + "."
}

// have begins a clause about n pods: "1 pod has" or "2 pods have".
func have(n int) string {
	if n == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", n)
}

// text names the pod with its priority.
func (p *Pod) text() string {
	switch {
	case p == nil:
		return "a pod"
	case p.Priority == nil:
		return prose.Name(p.Key) + " (no priority)"
	}
	return fmt.Sprintf("%s (priority %d)", prose.Name(p.Key), *p.Priority)
}

// text says in a line what is short, or what stands in the way.
func (f *Failure) text() string {
	c := &f.Check
	q := func(amount int64) resource.Quantity { return prose.Quantity(c.Resource, amount) }
	if c.Resource == resource.Pods {
		return fmt.Sprintf("the node holds %s pods already, of at most %s", q(c.Used), q(c.Capacity))
	}
	if c.Resource != "" {
		return fmt.Sprintf("%s is short by %s: %s needed, %s of %s used", prose.Resource(c.Resource), q(c.Shortage()), q(c.Requested), q(c.Used), q(c.Capacity))
	}

	// Without obstacles, as for a predicate of the caller's own, the predicate's text stands.
	parts := f.obstacles()
	if len(parts) == 0 {
		return prose.Text(string(c.Predicate)) + ": " + prose.Text(c.Text)
	}
	if f.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", f.More))
	}
	return strings.Join(parts, "; ")
}

// obstacles describes each thing that made a predicate fail, such as a label or a taint.
func (f *Failure) obstacles() (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	if f.WantedNode != "" {
		add("the pod wants node %s alone", prose.Name(f.WantedNode))
	}
	for _, l := range f.Labels {
		has := "there is no such label"
		if l.Have != nil {
			has = "the node has " + prose.Name(*l.Have)
		}
		add("the pod's node selector wants %s=%s, and %s", prose.Name(l.Key), prose.Name(l.Value), has)
	}
	if f.Affinity {
		add("no term of the pod's node affinity holds")
	}

	for i := range f.Ports {
		p := &f.Ports[i]
		add("host port %d/%s is held by %s", p.HostPort, prose.Text(p.Protocol), p.Holder.text())
	}
	for i := range f.Taints {
		add("taint %s; a toleration of it would help", taintText(&f.Taints[i]))
	}
	return out
}

// taintText writes a taint as kubectl does: key=value:effect.
func taintText(t *outrank.Taint) string {
	text := prose.Name(t.Key)
	if t.Value != "" {
		text += "=" + prose.Name(t.Value)
	}
	return text + ":" + prose.Text(string(t.Effect))
}

// text says in a line what the tier holds and, if covers is set, what it has to cover.
func (t *Tier) text(covers bool) string {
	text := fmt.Sprintf("%s, %s", prose.Text(string(t.Class)), prose.Plural(t.Pods, "pod"))
	if t.Priority != nil {
		text = fmt.Sprintf("priority %d, %s", *t.Priority, text)
	}
	if t.Pods > 0 && len(t.Holds) > 0 {
		text += " with " + amountsText(t.Holds)
	}

	switch {
	case !covers:
		return text
	case len(t.Covers) == 0:
		return text + ": nothing to cover"
	}
	return text + ": has to cover " + amountsText(t.Covers)
}

// amountsText lists amounts with their resources.
func amountsText(list []kubeletadmit.ResourceNeed) string {
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = prose.Resource(a.Resource) + " " + prose.Quantity(a.Resource, a.Amount).String()
	}
	return strings.Join(parts, ", ")
}

// text says in a line which pod was chosen, at which distance and before which other pod.
func (r *Round) text() string {
	parts := make([]string, len(r.Frees))
	for i, f := range r.Frees {
		parts[i] = fmt.Sprintf("%s %s where %s is needed", prose.Resource(f.Resource), prose.Quantity(f.Resource, f.Frees), prose.Quantity(f.Resource, f.Needed))
	}

	text := r.Pod.text()
	if r.DecidedBy != bySearch {
		text += ", distance " + number(r.Distance)
	}
	if len(parts) > 0 {
		text += ", frees " + strings.Join(parts, ", ")
	}

	// A search chooses a set at once, so its pods have no runner-up.
	switch {
	case r.DecidedBy == bySearch:
		return text
	case r.RunnerUp == nil:
		return text + "; it is the last of its class"
	}

	text += fmt.Sprintf("; next would be %s, distance %s", r.RunnerUp.text(), number(r.RunnerUpDistance))
	switch r.DecidedBy {
	case byMemory:
		text += ", which requests more memory"
	case byCPU:
		text += ", which requests more cpu"
	case byListing:
		text += ", which stands before it in the list"
	}
	return text
}

// number writes a distance with at most four digits.
func number(d float64) string { return strconv.FormatFloat(d, 'g', 4, 64) }
