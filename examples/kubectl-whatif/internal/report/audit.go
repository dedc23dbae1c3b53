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

// Finding is something about the priority classes, or about how pods use them.
type Finding struct {
	// Wrong is set for what is likely a mistake; the others are good to know.
	Wrong bool `json:"wrong,omitempty"`
	// Rule names the kind of finding, and Class the class that it is about, if it is about one.
	Rule  Rule   `json:"rule"`
	Class string `json:"class,omitempty"`
	Text  string `json:"text"`
	// Pods counts the pods that it is about, and Example is the first of them by name.
	Pods    int         `json:"pods,omitempty"`
	Example outrank.Key `json:"example,omitempty"`
}

// Rule is a kind of finding.
type Rule string

// The rules.
const (
	// SeveralDefaults: more than one class is the default.
	SeveralDefaults Rule = "several-defaults"
	// NoDefault: no class is, so that pods without a class have priority 0.
	NoDefault Rule = "no-default"
	// HighDefault: pods that name no class outrank those of another class.
	HighDefault Rule = "high-default"
	// SystemOutside: pods outside kube-system have a class of the system.
	SystemOutside Rule = "system-outside"
	// UnknownClass: pods name a class that the dump does not hold.
	UnknownClass Rule = "unknown-class"
	// OldValue: pods have another priority than their class gives now.
	OldValue Rule = "old-value"
	// NoClass: pods have a priority that no class gives, and name none.
	NoClass Rule = "no-class"
	// SameValue: two classes have the same value.
	SameValue Rule = "same-value"
	// NoGap: no class fits between two others.
	NoGap Rule = "no-gap"
	// NeverPreempts: pods of the class push nobody out.
	NeverPreempts Rule = "never"
	// Unused: no pod names the class.
	Unused Rule = "unused"
)

// usage is how pods use classes.
type usage struct {
	classes map[string]*outrank.PriorityClass
	found   map[Rule]map[string]*Finding
	used    map[string]int
}

// see counts a pod for a finding about a class.
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

// audit looks at the classes and at the pods that use them. Pods that have ended are not there.
func (r *Report) audit(set *question.Setting) {
	u := &usage{classes: map[string]*outrank.PriorityClass{}, found: map[Rule]map[string]*Finding{}, used: map[string]int{}}
	known := len(set.Cluster.Classes) > 0
	list := classesOf(set.Cluster)
	var defaults []string
	values := map[int32]bool{0: true}
	builtIn, _ := priority.NewTable(nil)
	for _, c := range builtIn.Classes() {
		u.classes[c.Name], values[c.Value] = &c, true
	}
	for _, c := range list {
		u.classes[c.Name], values[c.Value] = c, true
		if c.GlobalDefault {
			defaults = append(defaults, c.Name)
		}
	}
	for p := range set.Snapshot.Pods() {
		u.pod(p, known, values)
	}
	for rule, texts := range map[Rule]func(*Finding) string{
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
			f.Text = texts(f)
			r.Findings = append(r.Findings, *f)
		}
	}
	if known {
		r.classes(list, defaults, u.used)
	}
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

// pod looks at one pod.
func (u *usage) pod(p *outrank.Pod, known bool, values map[int32]bool) {
	name := p.PriorityClassName
	u.used[name]++
	if strings.HasPrefix(name, "system-") && p.NamespaceName() != "kube-system" {
		u.see(p, Finding{Rule: SystemOutside, Class: name})
	}
	if !known {
		return
	}
	c := u.classes[name]
	switch {
	case name == "":
		if v := p.PriorityValue(); !values[v] {
			u.see(p, Finding{Rule: NoClass, Text: fmt.Sprint(v)})
		}
	case c == nil:
		u.see(p, Finding{Rule: UnknownClass, Class: name, Wrong: true})
	case p.Priority != nil && *p.Priority != c.Value:
		u.see(p, Finding{Rule: OldValue, Class: name})
	}
}

// classes looks at the classes by themselves, the highest value first.
func (r *Report) classes(list []*outrank.PriorityClass, defaults []string, used map[string]int) {
	say := func(rule Rule, wrong bool, class, format string, args ...any) {
		r.Findings = append(r.Findings, Finding{Rule: rule, Wrong: wrong, Class: class, Text: fmt.Sprintf(format, args...)})
	}
	if len(defaults) == 0 {
		say(NoDefault, false, "", "no class is the default: pods that name none have priority 0")
	}
	if len(defaults) > 1 {
		say(SeveralDefaults, true, "", "%s are all the default; the one with the lowest value counts, %s", strings.Join(defaults, ", "), defaults[len(defaults)-1])
	}
	for i, c := range list {
		ours := !strings.HasPrefix(c.Name, "system-")
		if i > 0 && list[i-1].Value == c.Value {
			say(SameValue, false, c.Name, "%s has the same value, %d: neither pushes out the other's pods", list[i-1].Name, c.Value)
		}
		if ours && i > 0 && list[i-1].Value == c.Value+1 {
			say(NoGap, false, c.Name, "%s is only 1 above: no class fits between", list[i-1].Name)
		}
		if c.PreemptionPolicy == outrank.PreemptNever {
			say(NeverPreempts, false, c.Name, "its pods wait in front of others and push nobody out")
		}
		if ours && used[c.Name] == 0 && !c.GlobalDefault {
			say(Unused, false, c.Name, "no pod names it")
		}
	}
	if len(defaults) == 0 {
		return
	}
	at := slices.IndexFunc(list, func(c *outrank.PriorityClass) bool { return c.Name == defaults[len(defaults)-1] })
	var below []string
	for _, c := range list[at+1:] {
		if c.Value < list[at].Value && used[c.Name] > 0 {
			below = append(below, c.Name)
		}
	}
	if len(below) > 0 && list[at].PreemptionPolicy != outrank.PreemptNever {
		say(HighDefault, false, list[at].Name, "it is the default, and above %s: pods that name no class can push out theirs", strings.Join(below, ", "))
	}
}

func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func subject(n int, what, one, more string) string {
	if n == 1 {
		return "1 " + what + " " + one
	}
	return fmt.Sprintf("%d %ss %s", n, what, more)
}
