package config

import (
	"fmt"
	"math"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// extenders are the changes that the extenders of a file make to every profile.
type extenders struct {
	// ignored replaces each profile's ignored resources, unless it is empty (rule 19.4.2).
	ignored []resource.Name
	// unsupported has an entry for each extender that filters nodes or changes candidates, because its
	// answers are not known.
	unsupported []outrank.Problem
	// unsupportedScores has an entry for each extender that gives nodes scores.
	unsupportedScores []outrank.Problem
}

// readExtenders reads the extenders. At most one of them may bind, and no resource may be managed by two.
func readExtenders(o *object) *extenders {
	x := &extenders{}
	binders := 0
	managed := map[string]bool{}
	o.objects("extenders", func(e *object) {
		e.text("urlPrefix")
		filter, preempt := e.text("filterVerb"), e.text("preemptVerb")
		if e.text("bindVerb") != "" {
			binders++
		}

		weight, _ := e.number("weight", math.MinInt64, math.MaxInt64)
		if e.text("prioritizeVerb") != "" {
			if weight <= 0 {
				e.ps.add(e.path("weight"), "%d is not positive", weight)
			}
			x.unsupportedScores = append(x.unsupportedScores, outrank.Problem{Object: kind, Field: e.path("prioritizeVerb"), Text: fmt.Sprintf(
				"an extender gives nodes scores with the weight %d; they are not known", weight)})
		}

		// These fields have no effect here. Reading them checks their types.
		e.flag("enableHTTPS")
		e.flag("nodeCacheCapable")
		e.flag("ignorable")
		e.duration("httpTimeout")
		readTLS(e.object("tlsConfig"))

		names := x.readManaged(e, managed)
		x.note(e.at, filter, preempt, names)
	})
	if binders > 1 {
		o.ps.add("extenders", "%d extenders bind, and one can", binders)
	}
	return x
}

// note adds an extender to the unsupported ones if it filters nodes or changes candidates. resources are
// the resources that it manages.
func (x *extenders) note(at, filter, preempt string, resources []string) {
	var does []string
	if filter != "" {
		does = append(does, "filters nodes")
	}
	if preempt != "" {
		does = append(does, "changes candidates")
	}
	if len(does) == 0 {
		return
	}

	pods := "every pod"
	if len(resources) > 0 {
		pods = "pods that ask for " + cut(strings.Join(resources, ", "))
	}
	x.unsupported = append(x.unsupported, outrank.Problem{Object: kind, Field: at, Text: fmt.Sprintf(
		"an extender %s for %s; what it answers is not known", strings.Join(does, " and "), pods)})
}

// readManaged reads the resources that an extender manages. managed has the resources of all extenders so far.
func (x *extenders) readManaged(e *object, managed map[string]bool) (names []string) {
	e.objects("managedResources", func(m *object) {
		name := m.text("name")
		if !qualified(name) || !resource.Name(name).IsExtended() {
			m.ps.add(m.path("name"), "%q is no extended resource", cut(name))
		}
		if managed[name] {
			m.ps.add(m.path("name"), "%q is managed twice", cut(name))
		}
		managed[name] = true
		names = append(names, name)
		if m.flag("ignoredByScheduler") {
			x.ignored = append(x.ignored, resource.Name(name))
		}
	})
	return names
}

// readTLS checks settings that have no effect here.
func readTLS(o *object) {
	o.flag("insecure")
	for _, name := range []string{"serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData"} {
		o.text(name)
	}
	o.done()
}
