package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// object describes the document of an obstacle. The member that holds Names depends on the filter.
func (o *Obstacle) object() document.Object {
	limits, named := o.limits(), o.named()

	// names returns the member of this name. It is only written if it is the one that holds the names.
	names := func(name string) document.Member {
		return document.If(named == name, document.Optional(name, &o.Names))
	}
	return document.Object{
		document.Optional("filter", &o.Filter),
		document.Optional("excludedBy", &o.ExcludedBy),
		document.Optional("reasons", &o.Reasons),
		document.If(named != "limits", document.OptionalParts("short", &o.Short, (*Room).object)),
		document.Pointer("nobody", &o.Nobody, (*Nobody).object),
		document.OptionalThrough("wantedNode", o.wantedNode, func(name string) { o.Names = []string{name} }),
		names("wantedNodes"),
		document.OptionalParts("taints", &o.Taints, taintObject),
		document.OptionalFollows("cordoned", o.cordoned()),
		document.OptionalParts("labels", &o.Labels, (*Label).object),
		document.OptionalParts("terms", &o.Terms, (*Term).object),
		document.OptionalParts("ports", &o.Ports, (*Port).object),
		document.OptionalParts("volumes", &o.Volumes, (*Volume).object),
		document.Then(document.OptionalParts("limits", &limits, (*limit).object), func() { o.attach(limits) }),
		document.OptionalParts("spread", &o.Spread, (*Spread).object),
		document.OptionalParts("neighbours", &o.Neighbours, (*Neighbour).object),
		names("features"),
		names("disabledBy"),
		document.Optional("more", &o.More),
	}
}

func (r *Room) object() document.Object {
	return document.Object{
		document.Value("resource", &r.Resource),
		document.Value("needed", &r.Needed),
		document.Value("free", &r.Free),
		document.Value("short", &r.Short),
		document.Value("offered", &r.Offered),
		document.Optional("reserved", &r.Reserved),
	}
}

func (n *Nobody) object() document.Object {
	return document.Object{
		document.Value("pods", &n.Pods),
		document.Value("least", &n.Least),
		document.Optional("protected", &n.Protected),
	}
}

func taintObject(t *outrank.Taint) document.Object {
	return document.Object{
		document.Value("key", &t.Key),
		document.Optional("value", &t.Value),
		document.Value("effect", &t.Effect),
		document.Follows("toleration", t.Toleration()),
	}
}

// labelValue returns the member with the node's value of a label. It is left out if the value is empty.
func labelValue(name string, v **string) document.Member {
	return document.OptionalThrough(name, func() string { return orEmpty(*v) }, func(text string) { *v = &text })
}

// noLabel returns the member "missing", which says that the node has no such label. A document without it means that
// the node has the label, with an empty value if labelValue is left out, too.
func noLabel(v **string) document.Member {
	there := func() {
		if *v == nil {
			*v = new(string)
		}
	}
	m := document.OptionalThrough("missing", func() bool { return *v == nil }, func(missing bool) {
		if *v = nil; !missing {
			there()
		}
	})
	return document.Else(m, there)
}

func (l *Label) object() document.Object {
	return document.Object{
		document.Value("key", &l.Key),
		document.Value("operator", &l.Operator),
		document.Optional("values", &l.Values),
		labelValue("have", &l.Have), noLabel(&l.Have),
	}
}

func (t *Term) object() document.Object {
	return document.Object{
		document.Parts("unmet", &t.Unmet, (*Label).object),
		document.Optional("added", &t.Added),
	}
}

func (p *Port) object() document.Object {
	return document.Object{
		document.Value("port", &p.HostPort),
		document.Value("protocol", &p.Protocol),
		document.Value("ip", &p.HostIP),
		document.Optional("holder", &p.Holder),
	}
}

func (v *Volume) object() document.Object {
	zone := v.Zone
	if zone == nil {
		zone = &Label{}
	}

	// Writing must not change the volume. Reading adds the zone with the first member of it.
	in := func() *Label {
		if v.Zone == nil {
			v.Zone = &Label{NodeRequirement: outrank.NodeRequirement{Operator: outrank.In}, Have: new(string)}
		}
		return v.Zone
	}

	return document.Object{
		document.Optional("claim", &v.Claim),
		document.Optional("disk", &v.Disk),
		document.Optional("holder", &v.Holder),
		document.Optional("state", &v.State),
		document.Optional("missingVolume", &v.MissingVolume),
		document.OptionalParts("terms", &v.Terms, (*Term).object),
		document.OptionalThrough("label", func() string { return zone.Key }, func(key string) { in().Key = key }),
		document.OptionalThrough("values", func() []string { return zone.Values }, func(values []string) { in().Values = values }),
		document.OptionalThrough("have", func() string { return orEmpty(zone.Have) }, func(have string) { in().Have = &have }),
	}
}

// named returns the name of the member that holds Names.
func (o *Obstacle) named() string {
	if of := filter.Of(o.subject()); of != nil && of.Names.Member != "" {
		return of.Names.Member
	}
	return "wantedNodes"
}

// wantedNode returns the node that the pod names, or the empty string if the obstacle is another one.
func (o *Obstacle) wantedNode() string {
	if o.named() != "wantedNode" || len(o.Names) == 0 {
		return ""
	}
	return o.Names[0]
}

// limit is a driver that can attach no more volumes to the node, or is not installed there.
type limit struct {
	driver string
	// attached is the number of attached volumes, brought the number that the pod would add, and most the limit.
	attached, brought, most int64
	notInstalled            bool
}

func (l *limit) object() document.Object {
	return document.Object{
		document.Value("driver", &l.driver),
		document.Value("attached", &l.attached),
		document.Value("new", &l.brought),
		document.Value("limit", &l.most),
		document.Optional("notInstalled", &l.notInstalled),
	}
}

// limits returns the drivers of the obstacle, those that are not installed first.
func (o *Obstacle) limits() (out []limit) {
	if o.named() != "limits" {
		return nil
	}
	for _, name := range o.Names {
		out = append(out, limit{driver: name, notInstalled: true})
	}
	for i := range o.Short {
		r := &o.Short[i]
		units := func(q resource.Quantity) int64 { return resource.Amount(r.Resource, q) }
		out = append(out, limit{driver: r.driver(), attached: units(r.Offered.Sub(r.Free)), brought: units(r.Needed), most: units(r.Offered)})
	}
	return out
}

// attach is the inverse of limits: it sets Names and Short from the drivers.
func (o *Obstacle) attach(limits []limit) {
	for _, l := range limits {
		if l.notInstalled {
			o.Names = append(o.Names, l.driver)
			continue
		}

		volumes := amounts{resource: resource.Name(attachable + l.driver), needed: l.brought, offered: l.most, taken: l.attached}
		o.Short = append(o.Short, volumes.room())
	}
}

func (s *Spread) object() document.Object {
	return document.Object{
		document.Value("topologyKey", &s.TopologyKey),
		document.Value("selector", &s.Selector),
		document.Value("maxSkew", &s.MaxSkew),
		noLabel(&s.Domain), labelValue("domain", &s.Domain),
		document.Value("with", &s.With),
		document.Value("least", &s.Least),
	}
}

func (n *Neighbour) object() document.Object {
	return document.Object{
		document.Value("side", &n.Side),
		document.Value("topologyKey", &n.TopologyKey),
		document.Value("selector", &n.Selector),
		labelValue("domain", &n.Domain), noLabel(&n.Domain),
		document.Optional("pod", &n.Pod),
	}
}
