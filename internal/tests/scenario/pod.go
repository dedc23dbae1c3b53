package scenario

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// Pod reads the rest of the line as a pod. Its name comes first; then, in any
// order, its identity and state,
//
//	namespace=NS uid=UID labels=a=b,c=d group=NAME
//	priority=5                    without it the pod has none
//	never                         preemption policy Never
//	start=-1h                     seen from Now; without it, no start time
//	leaving, leaving=REASON       it is being deleted; the DisruptionTarget reason
//	phase=Succeeded               or another one
//	static, mirror, qos=CLASS     for the kubelet
//
// where it is,
//
//	on=NODE                       it runs there; of a preemptor, spec.nodeName
//	nominated=NODE
//
// what it asks for,
//
//	cpu=1 memory=1Gi asks=(example.com/gpu=1) limits=(cpu=1)   its container
//	init=(cpu=4) sidecar=(cpu=1)  an init container, a restartable one
//	pod-level=(cpu=2) overhead=(cpu=1)
//	reported=(cpu=2) infeasible   what the container's status says during a resize
//	restarts-all                  its container has the restart rule RestartAllContainers;
//	                              init=(restarts-all cpu=4) gives it to an init container
//	mount-options                 its container has options of a bind mount
//	deferred                      its resize is deferred, infeasible that it never can be
//
// and its rules about nodes, neighbours and ports; see parseSelector, parseNodeSelector,
// Line.terms and Line.spread for the syntax in parentheses:
//
//	selector=a=b,c=d              nodeSelector
//	node=(zone in (a,b) | gen>3)  required node affinity
//	affinity=(app=db by zone)     required pod affinity, anti= the opposite
//	spread=(app=web by zone)      topology spread, DoNotSchedule
//	tolerates=key=value:Effect,key,*
//	ports=80,10.0.0.1:53/UDP      host ports
//	volume=(claim=data once)
//	host-network host-users=false
func (l *Line) Pod() *outrank.Pod {
	p := &outrank.Pod{Name: l.Next("name of the pod")}
	main := outrank.Container{Name: "main", Requests: resource.List{}}
	options := l.podIs(p)
	for _, name := range filter.Names() {
		if said := words[name].pod; said != nil {
			maps.Copy(options, said(l, p, &main))
		}
	}
	l.Options(options)
	p.Containers = []outrank.Container{main}
	return p
}

// podIs returns the options for a pod's identity, state and node.
func (l *Line) podIs(p *outrank.Pod) Options {
	var priority int32
	return Options{
		"namespace=": Text(&p.Namespace), "uid=": Text(&p.UID), "labels=": Labels(&p.Labels), "group=": Text(&p.Group),
		"priority=": func(v string) error { p.Priority = &priority; return Number(&priority)(v) },
		"never":     func(string) error { p.PreemptionPolicy = outrank.PreemptNever; return nil },
		"start=":    Time(&p.StartTime),
		"leaving":   func(string) error { p.DeletionTimestamp = Now; return nil },
		"leaving=":  func(v string) error { p.DeletionTimestamp = Now; return Text(&p.DisruptionReason)(v) },
		"phase=":    Text(&p.Phase),
		"static":    Flag(&p.Static), "mirror": Flag(&p.Mirror), "qos=": Text(&p.QOSClass),
		"on=": Text(&p.NodeName), "nominated=": Text(&p.NominatedNodeName),
	}
}

// initContainer returns a setter that adds an init container with the given amounts. A sidecar is one that restarts.
func (l *Line) initContainer(p *outrank.Pod, sidecar bool) Setter {
	return func(value string) error {
		w := l.within(value)
		c := outrank.Container{
			Name: fmt.Sprint("init-", len(p.InitContainers)), Requests: resource.List{},
			Sidecar: sidecar, RestartsAll: w.Accept("restarts-all"),
		}
		p.InitContainers = append(p.InitContainers, c)
		return w.addAmounts(c.Requests)
	}
}

func hostUsers(shared **bool) Setter {
	return func(value string) error {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		*shared = &b
		return nil
	}
}

// terms returns a setter that adds pod affinity terms, separated by "&":
//
//	SELECTOR by KEY [in NAMESPACE,...] [in-selected SELECTOR]
//
// KEY is the topology key; in-selected selects namespaces by their labels.
func (l *Line) terms(list *[]outrank.PodAffinityTerm) Setter {
	return func(value string) error {
		for _, part := range parts(value, '&') {
			selector, w, err := l.by(part)
			if err != nil {
				return err
			}
			t := outrank.PodAffinityTerm{LabelSelector: selector, TopologyKey: w.Next("topology key")}
			if w.Accept("in") {
				t.Namespaces = parts(w.Next("namespaces"), ',')
			}
			if w.Accept("in-selected") {
				if t.NamespaceSelector, err = parseSelector(inner(w.Next("selector of namespaces"))); err != nil {
					return err
				}
			}
			if err := w.Err(); err != nil {
				return err
			}
			*list = append(*list, t)
		}
		return nil
	}
}

// by splits "SELECTOR by REST" into the selector and a line with the rest.
func (l *Line) by(text string) (*outrank.LabelSelector, *Line, error) {
	selector, rest, found := strings.Cut(text, " by ")
	if !found {
		return nil, nil, fmt.Errorf("%q is not SELECTOR by KEY", text)
	}
	s, err := parseSelector(strings.TrimSpace(selector))
	return s, l.within(rest), err
}

// spread returns a setter that adds topology spread constraints, separated by "&":
//
//	SELECTOR by KEY [skew=1] [min-domains=2] [keys=a,b] [affinity=Ignore] [taints=Honor] [anyway]
//
// With anyway the constraint is ScheduleAnyway instead of DoNotSchedule.
func (l *Line) spread(list *[]outrank.TopologySpreadConstraint) Setter {
	return func(value string) error {
		for _, part := range parts(value, '&') {
			selector, w, err := l.by(part)
			if err != nil {
				return err
			}
			c := outrank.TopologySpreadConstraint{LabelSelector: selector, MaxSkew: 1, TopologyKey: w.Next("topology key")}
			w.Options(Options{
				"skew=": Number(&c.MaxSkew), "min-domains=": Number(&c.MinDomains), "keys=": Names(&c.MatchLabelKeys),
				"affinity=": Text(&c.NodeAffinityPolicy), "taints=": Text(&c.NodeTaintsPolicy),
				"anyway": func(string) error { c.WhenUnsatisfiable = outrank.ScheduleAnyway; return nil },
			})
			if err := w.Err(); err != nil {
				return err
			}
			*list = append(*list, c)
		}
		return nil
	}
}

// ports returns a setter that adds host ports like 80, 10.0.0.1:80 or 53/UDP.
func ports(list *[]outrank.Port) Setter {
	return func(value string) error {
		for _, part := range parts(value, ',') {
			var p outrank.Port
			rest, protocol, _ := strings.Cut(part, "/")
			p.Protocol = protocol
			if i := strings.LastIndex(rest, ":"); i >= 0 {
				p.HostIP, rest = rest[:i], rest[i+1:]
			}
			n, err := strconv.ParseInt(rest, 10, 32)
			if err != nil {
				return fmt.Errorf("%q is no port", part)
			}
			p.HostPort = int32(n)
			*list = append(*list, p)
		}
		return nil
	}
}

// volumes returns a setter that adds volumes, separated by "&":
//
//	[claim=NAME] [once] [driver=NAME] [handle=ID] [node=(SELECTOR)] [zones=a,b]
//	[disk=KIND:ID] [read-only] [ephemeral] [state=STATE] [missing=VOLUME]
//
// once is ReadWriteOncePod; zones are the values of the volume's zone label.
func (l *Line) volumes(list *[]outrank.Volume) Setter {
	return func(value string) error {
		for _, part := range parts(value, '&') {
			w, v := l.within(part), outrank.Volume{}
			w.Options(Options{
				"claim=": Text(&v.Claim), "once": Flag(&v.OncePod), "driver=": Text(&v.Driver), "handle=": Text(&v.Handle),
				"node=": nodeSelector(&v.Node), "read-only": Flag(&v.Disk.ReadOnly),
				"ephemeral": Flag(&v.Ephemeral), "state=": Text((*string)(&v.State)), "missing=": Text(&v.MissingVolume),

				"zones=": func(s string) error {
					v.Zones = map[string][]string{outrank.ZoneLabel: parts(s, ',')}
					return nil
				},

				"disk=": func(s string) error {
					kind, id, ok := strings.Cut(s, ":")
					v.Disk.Kind, v.Disk.ID = outrank.DiskKind(kind), id
					if !ok {
						return fmt.Errorf("%q is not kind:id", s)
					}
					return nil
				},
			})

			if err := w.Err(); err != nil {
				return err
			}
			*list = append(*list, v)
		}
		return nil
	}
}
