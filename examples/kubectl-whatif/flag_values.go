package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
	"github.com/spf13/pflag"
)

// repeatable are the flags that may be given more than once.
var repeatable = map[string]bool{
	"cluster": true, "events": true, "filename": true, "request": true, "toleration": true, "host-port": true, "claim": true,
	"set-class": true, "priorityclass": true, "without": true, "add-node": true, "set-budget": true, "delete": true,
	"resize": true, "diff": true,
}

// once makes a flag refuse a second value. Without that the last value would silently win.
func once(f *pflag.Flag) {
	if !repeatable[f.Name] {
		f.Value = &onceValue{Value: f.Value}
	}
}

// errTwice is the error of a flag that is given twice.
var errTwice = errors.New("the flag is given twice; give it once")

// onceValue is a value that can be set once.
type onceValue struct {
	pflag.Value
	given bool
}

// Set fails the second time.
func (v *onceValue) Set(text string) error {
	if v.given {
		return errTwice
	}
	v.given = true
	return v.Value.Set(text)
}

// lenient makes a flag accept any value, once or more. Completion needs that: it reads the flags twice, and the
// last value may be unfinished.
func lenient(f *pflag.Flag) { f.Value = &lenientValue{f.Value} }

// lenientValue is a value that ignores errors.
type lenientValue struct{ pflag.Value }

// Set never fails.
func (v *lenientValue) Set(text string) error {
	value := v.Value
	if once, ok := value.(*onceValue); ok {
		value = once.Value
	}
	_ = value.Set(text)
	return nil
}

// labelProblem returns an error for a key or a value that no label can have.
func labelProblem(key, value string) error {
	const text = "letters, digits, '-', '_' and '.', a letter or digit at both ends, at most 63"
	// The library validates only whole selectors. Each of these two has one part that may be wrong.
	if (&outrank.LabelSelector{MatchLabels: map[string]string{key: ""}}).Validate() != nil {
		return fmt.Errorf("%q is no key of a label: %s, with a domain and a slash in front or without", key, text)
	}
	if (&outrank.LabelSelector{MatchLabels: map[string]string{key: value}}).Validate() != nil {
		return fmt.Errorf("%q is no value of a label: %s, or nothing", value, text)
	}
	return nil
}

// podName and namespaceName match the names that the API server takes. The lengths are checked separately.
var (
	podName       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	namespaceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
)

// checkNames refuses names that no pod and no namespace can have.
func (o *options) checkNames() error {
	if o.set["name"] && (len(o.pod.name) > 253 || !podName.MatchString(o.pod.name)) {
		return fmt.Errorf("--name %q is no name of a pod: small letters, digits, '-' and '.', a letter or digit at both ends, at most 253", o.pod.name)
	}
	if o.set["namespace"] && (len(o.pod.namespace) > 63 || !namespaceName.MatchString(o.pod.namespace)) {
		return fmt.Errorf("--namespace %q is no name of a namespace: small letters, digits and '-', a letter or digit at both ends, at most 63", o.pod.namespace)
	}
	return nil
}

// mostNodes is the most nodes that one flag adds.
const mostNodes = 10_000

// times splits "NAME=N". Without "=N" the number is 1.
func times(value string) (name string, n int, err error) {
	name, number, given := strings.Cut(value, "=")
	if !given {
		return name, 1, nil
	}
	n, err = strconv.Atoi(number)
	if err != nil || n < 1 || n > mostNodes {
		return "", 0, fmt.Errorf("%q is no number of nodes, which is between 1 and %d", number, mostNodes)
	}
	return name, n, nil
}

// budgetOf reads "[NAMESPACE/]NAME=N". A missing namespace defaults to namespace.
func budgetOf(value, namespace string) (outrank.Key, int32, error) {
	const form = "write NAMESPACE/NAME=NUMBER, like shop/checkout=0"
	name, number, ok := strings.Cut(value, "=")
	if !ok || name == "" {
		return "", 0, errors.New(form)
	}

	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 0 {
		return "", 0, fmt.Errorf("%q is no number of disruptions that a budget can allow; %s", number, form)
	}

	if space, rest, given := strings.Cut(name, "/"); given {
		namespace, name = space, rest
	}
	return outrank.NewKey(namespace, name), int32(n), nil
}

// classValue is a parsed value of --set-class.
type classValue struct {
	name  string
	value int32
}

// classOf reads "NAME=VALUE".
func classOf(text string) (classValue, error) {
	const form = "write NAME=VALUE, like production=2000"
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return classValue{}, errors.New(form)
	}

	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return classValue{}, fmt.Errorf("%q is no value of a class, which is a whole number of 32 bits; %s", value, form)
	}
	return classValue{name, int32(n)}, nil
}

// resizeFrom reads "[NAMESPACE/]NAME[/CONTAINER]=cpu=2,memory=4Gi". A missing namespace defaults to namespace;
// if there is a container, the namespace has to be written as well.
func resizeFrom(value, namespace string) (*question.Resize, error) {
	const form = "write NAMESPACE/NAME=cpu=AMOUNT,memory=AMOUNT, like shop/checkout-0=cpu=2"
	// Names contain no "=", so the first one ends the name of the pod.
	pod, list, _ := strings.Cut(value, "=")
	parts := strings.Split(pod, "/")
	if len(parts) == 1 {
		parts = []string{namespace, pod}
	}

	if len(parts) > 3 || parts[0] == "" || parts[1] == "" || list == "" {
		return nil, errors.New(form)
	}

	r := &question.Resize{Of: "--resize " + value, Pod: outrank.NewKey(parts[0], parts[1]), Requests: resource.List{}}
	if len(parts) == 3 {
		r.Container = parts[2]
	}

	for _, pair := range strings.Split(list, ",") {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, errors.New(form)
		}

		q, err := amountFrom(text)
		if err != nil {
			return nil, err
		}

		// If a resource were given twice, one of the amounts would silently win.
		if _, twice := r.Requests[resource.Name(name)]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		r.Requests[resource.Name(name)] = q
	}
	return r, nil
}
