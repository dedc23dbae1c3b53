package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
)

// NoClass is the service class of a pod without one. Its priority is 0 unless a mapping has another.
const NoClass = "none"

// Classes maps service classes to priorities. The mapping is the simulator's own, because a trace only has
// names. The zero value only knows [NoClass].
type Classes struct {
	byName map[string]int32
}

// DefaultClasses returns the service classes of the openb traces: latency-sensitive services are above best
// effort, and guaranteed services above all others.
func DefaultClasses() Classes {
	return Classes{map[string]int32{"Guaranteed": 2000, "LS": 1000, "Burstable": 100, "BE": 0}}
}

// ParseClasses reads a mapping like "LS=1000,BE=0". Errors wrap
// [outrank.ErrInvalid].
func ParseClasses(text string) (Classes, error) {
	c := Classes{map[string]int32{}}
	for pair := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(strings.TrimSpace(pair), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return Classes{}, fmt.Errorf("%w: %s is not class=priority; write LS=1000,BE=0", outrank.ErrInvalid, quote(pair))
		}

		value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		if err != nil {
			return Classes{}, fmt.Errorf("%w: class %s: %s is not a whole number of 32 bits", outrank.ErrInvalid, quote(name), quote(number))
		}
		if _, twice := c.byName[name]; twice {
			return Classes{}, fmt.Errorf("%w: class %s is given twice", outrank.ErrInvalid, quote(name))
		}
		c.byName[name] = int32(value)
	}
	return c, nil
}

// Priority returns the priority of a class, and whether it has one.
func (c Classes) Priority(name string) (int32, bool) {
	value, ok := c.byName[name]
	return value, ok || name == NoClass
}

// Names returns the classes, the highest priority first, and equals by name.
func (c Classes) Names() []string {
	names := make([]string, 0, len(c.byName))
	for name := range c.byName {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.byName[b], c.byName[a]), cmp.Compare(a, b))
	})
	return names
}

// String returns the mapping in the form that [ParseClasses] reads, the highest priority first.
func (c Classes) String() string {
	var parts []string
	for _, name := range c.Names() {
		parts = append(parts, fmt.Sprintf("%s=%d", name, c.byName[name]))
	}
	return strings.Join(parts, ",")
}
