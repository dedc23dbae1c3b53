package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/priority"
)

// Finding is a remark about the priority classes, or about how pods use them.
type Finding struct {
	// Wrong is set for a likely mistake. Other findings are merely good to know.
	Wrong bool `json:"wrong,omitempty"`
	// Rule names the kind of finding. Class names the class that it is about, if there is one.
	Rule  Rule   `json:"rule"`
	Class string `json:"class,omitempty"`
	Text  string `json:"text"`
	// Pods counts the pods that the finding is about, and Example is the first of them by name.
	Pods    int         `json:"pods,omitempty"`
	Example outrank.Key `json:"example,omitempty"`
}

// Rule is a kind of finding.
type Rule string

// The rules.
const (
	// SeveralDefaults means that more than one class is the default.
	SeveralDefaults Rule = "several-defaults"
	// NoDefault means that no class is the default, so that pods without a class have priority 0.
	NoDefault Rule = "no-default"
	// HighDefault means that pods that name no class outrank pods of another class.
	HighDefault Rule = "high-default"
	// SystemOutside means that pods outside kube-system have a class of the system.
	SystemOutside Rule = "system-outside"
	// UnknownClass means that pods name a class that the dump does not hold.
	UnknownClass Rule = "unknown-class"
	// OldValue means that pods have a priority that differs from the value of their class.
	OldValue Rule = "old-value"
	// NoClass means that pods name no class, and have a priority that no class gives.
	NoClass Rule = "no-class"
	// SameValue means that two classes have the same value.
	SameValue Rule = "same-value"
	// NoGap means that no value is left between two neighbouring classes.
	NoGap Rule = "no-gap"
	// NeverPreempts means that pods of the class push nobody out.
	NeverPreempts Rule = "never"
	// Unused means that no pod names the class.
	Unused Rule = "unused"
)

// usage counts how pods use classes.
type usage struct {
	// known is set if the dump has classes. A dump without any was made without asking for them, so that
	// nothing can be said about the classes that pods name.
	known bool
	// classes has the classes by name, including built-in ones. values has their values and 0, the priority of
	// pods without a class.
	classes map[string]*outrank.PriorityClass
	values  map[int32]bool
	// found has the findings about pods, by rule and then by class or, for a priority without a class, by its
	// text.
	found map[Rule]map[string]*Finding
	// used counts the pods of each class.
	used map[string]int
}

// usageOf returns a usage that knows the classes and has not counted any pod.
func usageOf(set *question.Setting, classes []*outrank.PriorityClass) *usage {
	u := &usage{
		known:   len(set.Cluster.Classes) > 0,
		classes: map[string]*outrank.PriorityClass{}, values: map[int32]bool{0: true},
		found: map[Rule]map[string]*Finding{}, used: map[string]int{},
	}
	builtIn, _ := priority.NewTable(nil)
	for _, c := range builtIn.Classes() {
		u.classes[c.Name], u.values[c.Value] = &c, true
	}
	for _, c := range classes {
		u.classes[c.Name], u.values[c.Value] = c, true
	}
	return u
}

// see counts a pod for a finding. All pods with the same class share one finding. For a priority that no class
// gives, the priority stands in for the class.
func (u *usage) see(p *outrank.Pod, f Finding) {
	if u.found[f.Rule] == nil {
		u.found[f.Rule] = map[string]*Finding{}
	}
	name := f.Class
	if f.Rule == NoClass {
		name = f.Text
	}
	one := u.found[f.Rule][name]
	if one == nil {
		one = &f
		u.found[f.Rule][name] = one
	}
	if one.Pods++; one.Example == "" || p.Key() < one.Example {
		one.Example = p.Key()
	}
}

// audit examines the classes and the pods that use them. Pods that have ended are not in the snapshot.
func (r *Report) audit(set *question.Setting) {
	list := classesOf(set.Cluster)
	u := usageOf(set, list)
	for p := range set.Snapshot.Pods() {
		u.pod(p)
	}
	r.Findings = append(r.Findings, u.findings()...)
	if u.known {
		r.classes(list, u.used)
	}

	// The findings about pods come out of maps, so that the order has to be total.
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		wrong := func(f Finding) int {
			if f.Wrong {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(wrong(a), wrong(b)), cmp.Compare(a.Rule, b.Rule), cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Text, b.Text))
	})
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
}

// findings returns the findings about pods, in any order. It writes their texts, which need the final counts.
func (u *usage) findings() (out []Finding) {
	for rule, text := range map[Rule]func(*Finding) string{
		SystemOutside: func(f *Finding) string { return subject(f.Pods, "pod", "has", "have") + " it outside kube-system" },
		UnknownClass: func(f *Finding) string {
			return subject(f.Pods, "pod", "names", "name") + " it, and the dump does not hold it"
		},
		OldValue: func(f *Finding) string {
			return fmt.Sprintf("%s another priority than it gives now, %d", subject(f.Pods, "pod", "has", "have"), u.classes[f.Class].Value)
		},
		NoClass: func(f *Finding) string {
			return subject(f.Pods, "pod", "names", "name") + " no class and " + verb(f.Pods, "has", "have") + " priority " + f.Text + ", which no class gives"
		},
	} {
		for _, f := range u.found[rule] {
			f.Text = text(f)
			out = append(out, *f)
		}
	}
	return out
}

// pod examines one pod.
func (u *usage) pod(p *outrank.Pod) {
	name := p.PriorityClassName
	u.used[name]++

	if strings.HasPrefix(name, "system-") && p.NamespaceName() != "kube-system" {
		u.see(p, Finding{Rule: SystemOutside, Class: name})
	}
	if !u.known {
		return
	}

	c := u.classes[name]
	switch {
	case name == "":
		if v := p.PriorityValue(); !u.values[v] {
			u.see(p, Finding{Rule: NoClass, Text: fmt.Sprint(v)})
		}
	case c == nil:
		u.see(p, Finding{Rule: UnknownClass, Class: name, Wrong: true})
	case p.Priority != nil && *p.Priority != c.Value:
		u.see(p, Finding{Rule: OldValue, Class: name})
	}
}

// classes examines the classes themselves. list has the highest value first, and used counts the pods of each
// class.
func (r *Report) classes(list []*outrank.PriorityClass, used map[string]int) {
	// Nobody can change the classes of the system, so that gaps and unused classes do not matter there.
	for i, c := range list {
		users := !strings.HasPrefix(c.Name, "system-")
		if i > 0 && list[i-1].Value == c.Value {
			r.find(SameValue, c.Name, "%s has the same value, %d: neither pushes out the other's pods", list[i-1].Name, c.Value)
		}
		if users && i > 0 && list[i-1].Value == c.Value+1 {
			r.find(NoGap, c.Name, "%s is only 1 above: no class fits between", list[i-1].Name)
		}
		if c.PreemptionPolicy == outrank.PreemptNever {
			r.find(NeverPreempts, c.Name, "its pods wait in front of others and push nobody out")
		}
		if users && used[c.Name] == 0 && !c.GlobalDefault {
			r.find(Unused, c.Name, "no pod names it")
		}
	}
	r.defaults(list, used)
}

// defaults examines the default class. Of several default classes the one with the lowest value counts, which
// is the last in the list.
func (r *Report) defaults(list []*outrank.PriorityClass, used map[string]int) {
	var names []string
	last := -1
	for i, c := range list {
		if c.GlobalDefault {
			names = append(names, c.Name)
			last = i
		}
	}

	if last < 0 {
		r.find(NoDefault, "", "no class is the default: pods that name none have priority 0")
		return
	}
	if len(names) > 1 {
		text := fmt.Sprintf("%s are all the default; the one with the lowest value counts, %s", strings.Join(names, ", "), list[last].Name)
		r.Findings = append(r.Findings, Finding{Rule: SeveralDefaults, Wrong: true, Text: text})
	}

	// A lower class without pods does no harm.
	var below []string
	for _, c := range list[last+1:] {
		if c.Value < list[last].Value && used[c.Name] > 0 {
			below = append(below, c.Name)
		}
	}
	if len(below) > 0 && list[last].PreemptionPolicy != outrank.PreemptNever {
		r.find(HighDefault, list[last].Name, "it is the default, and above %s: pods that name no class can push out theirs", strings.Join(below, ", "))
	}
}

// find adds a finding about a class that is merely good to know.
func (r *Report) find(rule Rule, class, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Rule: rule, Class: class, Text: fmt.Sprintf(format, args...)})
}

// verb returns the form of a verb that agrees with the number.
func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// subject returns a number of things with a verb that agrees with it.
func subject(n int, what, one, more string) string {
	if n == 1 {
		return "1 " + what + " " + one
	}
	return fmt.Sprintf("%d %ss %s", n, what, more)
}
