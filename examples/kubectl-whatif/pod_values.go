package main

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/resource"
)

// request adds an amount of one resource to what the pod asks for.
func (o *options) request(name resource.Name, text string) error {
	if !name.Counted() {
		return fmt.Errorf("%q is not counted by the scheduler; other resources have a domain, like nvidia.com/gpu", string(name))
	}

	q, err := amountFrom(text)
	if err != nil {
		return err
	}

	if _, twice := o.pod.requests[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}

	if o.pod.requests == nil {
		o.pod.requests = resource.List{}
	}
	o.pod.requests[name] = q
	return nil
}

// requestPair adds a request given as NAME=AMOUNT.
func (o *options) requestPair(text string) error {
	name, amount, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("write name=amount, like nvidia.com/gpu=1")
	}
	return o.request(resource.Name(name), amount)
}

// setPriority parses the value of --priority.
func (o *options) setPriority(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return errors.New("a priority is a whole number of 32 bits, like 1000")
	}
	o.pod.priority = outrank.Priority(int32(n))
	return nil
}

// setNow parses the value of --now.
func (o *options) setNow(text string) (err error) {
	o.now, err = clock.Parse(text)
	return err
}

// pairs parses labels, written a=b,c=d.
func pairs(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value; write a=b,c=d", pair)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}

		if err := labelProblem(key, value); err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}

// addToleration parses a toleration in the syntax in which kubectl taint writes taints. Without a value it
// tolerates any value, and without an effect all effects.
func (o *options) addToleration(text string) error {
	const form = "write key=value:Effect, key:Effect for any value, or either without the effect for all of them"
	rest, effect, effects := strings.Cut(text, ":")
	key, value, equal := strings.Cut(rest, "=")

	t := outrank.Toleration{Key: key, Operator: outrank.TolerationExists, Effect: outrank.TaintEffect(effect)}
	if equal {
		t.Operator, t.Value = outrank.TolerationEqual, value
	}

	if key == "" {
		return errors.New("no key; " + form)
	}
	if err := labelProblem(key, value); err != nil {
		return fmt.Errorf("%w; %s", err, form)
	}

	known := []outrank.TaintEffect{outrank.NoSchedule, outrank.PreferNoSchedule, outrank.NoExecute}
	if effects && !slices.Contains(known, t.Effect) {
		return fmt.Errorf("%q is no effect of a taint: they are NoSchedule, PreferNoSchedule and NoExecute; %s", effect, form)
	}
	o.pod.tolerations = append(o.pod.tolerations, t)
	return nil
}

// addHostPort reads [ip:]port[/protocol].
func (o *options) addHostPort(text string) error {
	rest, protocol, named := strings.Cut(text, "/")
	protocol = strings.ToUpper(protocol)
	if !named {
		protocol = "TCP"
	}
	// A port of a pod has one of these protocols.
	if !slices.Contains([]string{"TCP", "UDP", "SCTP"}, protocol) {
		return fmt.Errorf("%q is no protocol: they are tcp, udp and sctp", protocol)
	}

	// An IPv6 address contains colons itself, and is written in brackets.
	number, ip := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		number, ip = rest[i+1:], strings.Trim(rest[:i], "[]")
		if _, err := netip.ParseAddr(ip); err != nil {
			return fmt.Errorf("%q is no address; write [ip:]port[/protocol], like 443, 10.0.0.1:53/udp or [fd00::1]:80", rest[:i])
		}
	}

	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is no port, which is a number between 1 and 65535; write [ip:]port[/protocol]", number)
	}

	port := outrank.Port{HostPort: int32(n), HostIP: ip, Protocol: protocol}
	if slices.Contains(o.pod.hostPorts, port) {
		return errors.New("the port is given twice")
	}
	o.pod.hostPorts = append(o.pod.hostPorts, port)
	return nil
}

// addClaim adds a claim by its name.
func (o *options) addClaim(name string) error {
	if len(name) > 253 || !podName.MatchString(name) {
		return fmt.Errorf("%q is no name of a claim: small letters, digits, '-' and '.', a letter or digit at both ends, at most 253", name)
	}
	if slices.Contains(o.pod.claims, name) {
		return errors.New("the claim is given twice")
	}
	o.pod.claims = append(o.pod.claims, name)
	return nil
}

// claimsKnown refuses claims that the dump does not hold, because no node would take the pod.
func claimsKnown(c *outrank.Cluster, pod *outrank.Pod) error {
	known := map[outrank.Key]bool{}
	var near []string
	for _, vc := range c.Claims {
		known[vc.Key()] = true
		if vc.Key() == outrank.NewKey(pod.Namespace, vc.Name) {
			near = append(near, vc.Name)
		}
	}

	slices.Sort(near)
	for _, v := range pod.Volumes {
		key := outrank.NewKey(pod.Namespace, v.Claim)
		switch {
		case known[key]:
		case len(c.Claims) == 0:
			return fmt.Errorf("--claim %s: the dump holds no claims; add pv,pvc,sc,csinodes,csidrivers to kubectl get", v.Claim)
		case len(near) == 0:
			return fmt.Errorf("--claim %s: namespace %s has no claim in the dump", v.Claim, pod.NamespaceName())
		default:
			return fmt.Errorf("--claim %s: there is no such claim in the dump; namespace %s has %s", v.Claim, pod.NamespaceName(), some(near, mostNear, len(near)))
		}
	}
	return nil
}
