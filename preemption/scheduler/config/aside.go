package config

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// asidePoints decide nothing about who leaves, but which pods are tried, in which order, and what becomes of one that
// has a node.
var asidePoints = []string{"preEnqueue", "queueSort", "reserve", "permit", "preBind", "bind", "postBind"}

// tellAside adds problems to Unsupported for what a profile changes at these points: plugins that are not of the
// default profile, and plugins of the default profile that are off (rule 19.2.10). The lists have been checked.
func (l pluginList) tellAside(o *object, p *Profile) {
	plugins := objectOf(&problems{}, o.path("plugins"), o.value["plugins"])
	for _, where := range asidePoints {
		point := plugins.object(where)
		tell := func(list, name, format string) {
			p.Unsupported = append(p.Unsupported, outrank.Problem{Object: kind, Field: point.path(list), Text: fmt.Sprintf(format, cut(name))})
		}

		for _, name := range namesIn(point, "enabled") {
			if _, ok := l.known(name); !ok {
				tell("enabled", name, "plugin %s is not one of kube-scheduler's default profile: what it does to attempts is not known")
			}
		}
		for _, name := range namesIn(point, "disabled") {
			if _, ok := l.known(name); (ok || name == everything) && !slices.Contains(namesIn(point, "enabled"), name) {
				tell("disabled", name, "%s is off here: attempts go on as if it were on")
			}
		}
	}
}

// namesIn lists the names of the plugins in a list of a point.
func namesIn(point *object, list string) (names []string) {
	point.objects(list, func(p *object) { names = append(names, p.text("name")) })
	return names
}
