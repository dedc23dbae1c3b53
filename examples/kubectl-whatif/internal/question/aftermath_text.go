package question

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints the fates of the pods for people. Each list is cut after limit entries, unless limit is 0.
// The error is that of w.
func (a *Aftermath) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	// The first sentence says which nodes are gone.
	for i, text := range a.summary() {
		if i == 0 && len(a.Nodes) > 0 {
			text = "Without " + names(a.Nodes, bounded(len(a.Nodes), limit)) + ": " + text
		}
		out.say("%s", text)
	}
	a.writeStayers(out, limit)
	a.writeWorkloads(out, limit)
	a.writeMoves(out, limit)
	for i := range a.Drains {
		a.writeDrain(out, &a.Drains[i], limit)
	}
	if len(a.Drains) > 0 {
		a.writeBudgets(out, limit)
	}
	if a.Classes != nil {
		out.line("")
		a.Classes.write(out, limit)
	}
	return out.To(w)
}

// fates counts the pods of an origin that the changes move, in total and by fate.
func (a *Aftermath) fates(origin Origin) (n int, f Fates) {
	for i := range a.Moves {
		if m := &a.Moves[i]; m.Origin == origin && !m.Aside {
			pods := max(1, len(m.Members))
			n += pods
			f.add(m.fate(), pods)
		}
	}
	return n, f
}

// text puts the fates into words. place follows the number of pods that fit, such as " elsewhere".
func (f *Fates) text(place string) string {
	var parts []string
	add := func(n int, one, more string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verb(n, one, more)))
		}
	}
	add(f.Placed, "fits"+place, "fit"+place)
	add(f.PushesOut, "pushes others out", "push others out")
	add(f.Waits, "stays pending", "stay pending")
	add(f.Gated, "is gated", "are gated")
	add(f.OtherScheduler, "is not of this scheduler", "are not of this scheduler")
	add(f.InGroup, "waits for its group", "wait for their group")
	return strings.Join(parts, ", ")
}

// summary returns a sentence for each kind of pods: first the pods of the changes themselves, then the pods
// that they push out, then the pods that were waiting.
func (a *Aftermath) summary() []string {
	out := a.ownSentences()
	out = append(out, a.othersSentences()...)
	if len(out) == 0 {
		out = append(out, "no pod has to find another place.")
	}
	return out
}

// ownSentences says what becomes of the pods that the changes create, resize, or deprive of their place.
func (a *Aftermath) ownSentences() (out []string) {
	if n, f := a.fates(New); n > 0 {
		out = append(out, fmt.Sprintf("%s: %s.", console.Plural(n, "new pod"), f.text("")))
	}
	for i := range a.Forbidden {
		out = append(out, a.Forbidden[i].String())
	}
	for i := range a.Resizes {
		out = append(out, a.Resizes[i].String())
	}

	for _, moved := range []struct {
		origin Origin
		why    string
		place  string
	}{{FromNode, "", " elsewhere"}, {Deleted, ", deleted,", ""}} {
		if n, f := a.fates(moved.origin); n > 0 {
			out = append(out, fmt.Sprintf("%s%s %s to be recreated: %s.", console.Plural(n, "pod"), moved.why, verb(n, "has", "have"), f.text(moved.place)))
		}
	}
	return out
}

// othersSentences says who is pushed out, and what becomes of the pods that were waiting.
func (a *Aftermath) othersSentences() (out []string) {
	t := &a.Totals
	if t.Victims > 0 {
		text := subject(t.Victims, "pod is pushed out", "pods are pushed out")
		if t.Violating > 0 {
			text += fmt.Sprintf(", %d against a disruption budget", t.Violating)
		}
		if n, f := a.fates(PushedOut); n > 0 {
			text += "; recreated, " + f.text("")
		}
		out = append(out, text+".")
	}

	if n := t.Taken; n > 0 {
		text := subject(n, "pod that waited before takes", "pods that waited before take") + " a place in " + verb(n, "its", "their") + " turn"
		if t.Aside > 0 {
			text += ", pushing out " + console.Plural(t.Aside, "pod")
		}
		out = append(out, text+".")
	}
	if n := len(a.Displaced); n > 0 {
		out = append(out, subject(n, "pod that waits would find a place without the change", "pods that wait would find a place without the change")+": "+podNames(a.Displaced, 5)+".")
	}
	return out
}

// writeStayers prints the pods that are not recreated, and counts those that stay pending.
func (a *Aftermath) writeStayers(out *paper, limit int) {
	say := func(pods []Pod, text string) {
		if len(pods) > 0 {
			out.line("  %d %s: %s.", len(pods), text, podNames(pods, limit))
		}
	}
	say(a.Lost, "lost, without a controller to recreate them")
	say(a.Tied, "of DaemonSets or static, which do not move")
	say(a.Leaving, "being deleted anyway")
	if a.StillPending > 0 {
		out.line("  %s as before.", subject(a.StillPending, "pod stays pending", "pods stay pending"))
	}
}

// movesOrder explains the list of moves.
const movesOrder = "In the order in which a scheduler takes them, those pushed out gone at once and recreated in turn"

// podNames names the first pods of a list.
func podNames(pods []Pod, limit int) string {
	keys := make([]string, len(pods))
	for i := range pods {
		keys[i] = string(pods[i].Key)
	}
	return names(keys, bounded(len(keys), limit))
}

// writeWorkloads counts the new pods of each workload, first the workloads whose pods stay pending or push out
// others. A single workload needs no table, because the summary describes it.
func (a *Aftermath) writeWorkloads(out *paper, limit int) {
	if len(a.Workloads) < 2 {
		return
	}

	list := slices.Clone(a.Workloads)
	slices.SortStableFunc(list, func(x, y WorkloadFate) int {
		return cmp.Or(cmp.Compare(y.Waits, x.Waits), cmp.Compare(y.Victims, x.Victims))
	})

	out.line("")
	rows := console.Table{Right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true}}
	rows.Head("WORKLOAD", "NAMESPACE", "PODS", "FIT", "PUSH OUT", "PENDING", "VICTIMS")
	shown := bounded(len(list), limit)
	for _, w := range list[:shown] {
		rows.Add(w.Workload, w.Namespace, strconv.Itoa(w.Pods), strconv.Itoa(w.Placed), strconv.Itoa(w.PushesOut), strconv.Itoa(w.Pods-w.Placed-w.PushesOut), strconv.Itoa(w.Victims))
	}
	rows.Print(out.Page)
	out.more(len(list) - shown)
}

// writeMoves prints the turns in their order. If there are too many, it leaves out turns of pods that simply
// fit first.
func (a *Aftermath) writeMoves(out *paper, limit int) {
	if len(a.Moves) == 0 {
		return
	}

	out.line("")
	out.say("%s:", movesOrder)
	var rows console.Table
	rows.Head("#", "POD", "PRIORITY", "LEAVES", "OUTCOME", "TO")
	shown := selected(len(a.Moves), limit, func(i int) bool { return a.Moves[i].Outcome != Placed })
	said := saidOnce{}
	for _, i := range shown {
		m := &a.Moves[i]
		rows.Add(strconv.Itoa(i+1), m.name(), strconv.Itoa(int(m.Pod.Priority)), m.leaves(), m.Text(), m.Node)
		addNotes(&rows, m.why())
		addNotes(&rows, said.notes(i+1, &m.Turn, limit))
	}
	rows.Print(out.Page)
	out.more(len(a.Moves) - len(shown))
}

// leaves names the node that the pod leaves, or says why there is none.
func (m *Move) leaves() string {
	switch m.Origin {
	case New:
		return "(new)"
	case Waiting:
		return "(waited)"
	case Resizing:
		return "(resized)"
	}
	return m.Pod.Node
}

// why says why a pod takes a turn, unless leaves says it already.
func (m *Move) why() []string {
	switch {
	case m.PushedOutBy != "":
		return []string{"pushed out for " + string(m.PushedOutBy)}
	case m.Origin == Deleted:
		return []string{"deleted, and recreated"}
	case m.Origin == Ending:
		return []string{"being deleted already, and recreated"}
	}
	return nil
}

// writeDrain prints how a drain goes.
func (a *Aftermath) writeDrain(out *paper, d *Drain, limit int) {
	out.line("")
	which := "A drain"
	if len(a.Drains) > 1 {
		which = "The drain of " + names(d.Nodes, bounded(len(d.Nodes), limit))
	}
	out.say("%s", which+" "+d.text())
	for _, text := range append(d.held(limit), d.pending(limit)...) {
		out.block(2, text)
	}
	if text := d.freedText(); text != "" {
		out.say("%s", text)
	}
	if n := fresh(d.Victims); n > 0 {
		out.line("  meanwhile %s, for those recreated and others that wait", subject(n, "pod is pushed out", "times a pod is pushed out"))
	}

	// The drain was played as with --force, which a person has to know.
	if len(a.Lost) > 0 {
		out.say("kubectl drain refuses to go on with pods that have no controller, unless it is told to with --force.")
	}
}

// text says whether the drain goes through, and how often it waits.
func (d *Drain) text() string {
	switch {
	case d.Stuck:
		return fmt.Sprintf("is stuck on %s after %d of %s: it never ends.", d.StuckAt, d.Evicted, console.Plural(d.Pods, "pod"))
	case d.Pods == 0:
		return "has nobody to evict."
	case d.Waits == 1:
		return "goes through; it waits once until replacements are ready."
	case d.Waits > 1:
		return fmt.Sprintf("goes through; it waits %d times until replacements are ready.", d.Waits)
	}
	return "goes through at once."
}

// held says which pods may not be evicted, in one line for each reason.
func (d *Drain) held(limit int) []string {
	pods := byReason{limit: limit}
	for i := range d.Held {
		h := &d.Held[i]
		pods.add(string(h.Pod.Key), h.text())
	}
	return pods.texts(" may not be evicted", " may not be evicted")
}

// pending says which replacements find no place, in one line for each reason.
func (d *Drain) pending(limit int) []string {
	pods := byReason{limit: limit}
	for i := range d.Pending {
		t := &d.Pending[i]
		pods.add(string(t.Pod.Key), strings.Join(t.Notes(limit), "; "))
	}
	return pods.texts(", recreated, stays pending", ", recreated, stay pending")
}

// byReason groups things by their reasons. limit bounds the number of reasons, and of things for each; 0 means
// no bound.
type byReason struct {
	limit int
	// reasons lists the reasons in the order in which they came up. things has the things of each reason.
	reasons []string
	things  map[string][]string
}

// add adds a thing with its reason, which may be empty.
func (a *byReason) add(thing, reason string) {
	if a.things == nil {
		a.things = map[string][]string{}
	}
	if a.things[reason] == nil {
		a.reasons = append(a.reasons, reason)
	}
	a.things[reason] = append(a.things[reason], thing)
}

// texts returns a line for each reason, up to the limit, and a line that counts the rest. is is the verb phrase
// for one thing, and are for several.
func (a *byReason) texts(is, are string) (out []string) {
	shown := bounded(len(a.reasons), a.limit)
	for _, reason := range a.reasons[:shown] {
		text := names(a.things[reason], bounded(len(a.things[reason]), a.limit)) + verb(len(a.things[reason]), is, are)
		if reason != "" {
			text += ": " + reason
		}
		out = append(out, text)
	}

	more := 0
	for _, reason := range a.reasons[shown:] {
		more += len(a.things[reason])
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more for other reasons", more))
	}
	return out
}

// text says why a pod may not be evicted.
func (h *HeldPod) text() string {
	if len(h.Budgets) > 1 {
		return "several budgets cover it, " + names(h.Budgets, mostBudgets) + ", and then no eviction is let through"
	}
	return "budget " + names(h.Budgets, 1) + " lets no more of its pods go"
}

// writeBudgets prints the effects of disruption budgets.
func (a *Aftermath) writeBudgets(out *paper, limit int) {
	if len(a.Budgets) == 0 {
		out.say("No disruption budget covers a pod that would be evicted.")
		return
	}

	out.line("A drain keeps to disruption budgets, and a loss does not ask them:")
	var rows console.Table
	rows.Head("BUDGET", "MAY GO", "PODS", "A DRAIN", "A LOSS")
	shown := bounded(len(a.Budgets), limit)
	for _, b := range a.Budgets[:shown] {
		rows.Add(string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Pods), b.text(), b.loss())
		addNotes(&rows, b.notes())
	}
	rows.Print(out.Page)
	out.more(len(a.Budgets) - shown)
}

// text puts the effect of the budget on a drain into words.
func (b *BudgetLoad) text() string {
	switch b.Drain {
	case Lets:
		return "lets all go at once"
	case Slows:
		return "lets them go one after the other"
	case Stops:
		return fmt.Sprintf("lets %d go, then no more", b.Evicted)
	case Blocks:
		return "lets none go"
	case Several:
		return "never lets go pods that others cover, too"
	case NotReached:
		return "is stuck before"
	}
	return string(b.Drain)
}

// loss says whether the loss of the nodes breaks the budget, for which only ready pods count.
func (b *BudgetLoad) loss() string {
	if int64(b.Pods-b.Unready) <= int64(max(0, b.Allowed)) {
		return "keeps it"
	}
	return "breaks it"
}

// notes says how many of the pods are not ready, and how many of those a drain may evict anyway.
func (b *BudgetLoad) notes() []string {
	if b.Unready == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of them %s not ready", b.Unready, verb(b.Unready, "is", "are"))
	switch {
	case b.Free == b.Unready:
		text += ", and may be evicted whatever the budget allows"
	case b.Free > 0:
		text += fmt.Sprintf(", and %d may be evicted whatever the budget allows", b.Free)
	}
	return []string{text}
}
