package kueue

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
)

// Settings has the parts of Kueue's own Configuration on which its decisions depend.
type Settings struct {
	// fair says how shares are compared. It is nil if fair sharing is off.
	fair       *tenancy.Fair
	protection tenancy.Protection
	// gates has the feature gates that the Configuration sets.
	gates map[string]bool
	// given is set if there is a Configuration. Without one all other fields are zero.
	given bool
	// unknown names the parts that change decisions and that are ignored here.
	unknown []string
}

// duration is a span of time in the notation of Kubernetes, such as 1h30m.
type duration time.Duration

// UnmarshalText reads a duration.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

// window is a window of protection: an admitted workload must not be preempted before it ends.
type window struct {
	Least duration `json:"minAdmitDuration"`
}

// fairConfig is the part of a Configuration about fair sharing.
type fairConfig struct {
	Enable     *bool    `json:"enable"`
	Strategies []string `json:"preemptionStrategies"`
}

// protectionConfig is the part of a Configuration about windows of protection.
type protectionConfig struct {
	Within  window `json:"withinClusterQueue"`
	Fair    window `json:"fairSharing"`
	Reclaim window `json:"reclaimWithinCohort"`
}

// configuration has the fields of a Configuration under Kueue's names. Of raw parts only the presence is used.
type configuration struct {
	Kind       string           `json:"kind"`
	Fair       *fairConfig      `json:"fairSharing"`
	Protection protectionConfig `json:"preemptionProtection"`
	Gates      map[string]bool  `json:"featureGates"`
	Admission  *json.RawMessage `json:"admissionFairSharing"`
	Resources  *json.RawMessage `json:"resources"`
}

// ReadSettings reads a Configuration of Kueue, in JSON or YAML.
func ReadSettings(r io.Reader) (*Settings, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, err
	}
	var c configuration
	if err := json.NewDecoder(text).Decode(&c); err != nil {
		return nil, fmt.Errorf("this is no Configuration of Kueue: %w", err)
	}
	if c.Kind != "Configuration" {
		return nil, fmt.Errorf("kind: %q where Configuration is wanted", c.Kind)
	}

	s := &Settings{gates: c.Gates, given: true, protection: c.Protection.protection()}

	// A caveat names the parts that change decisions and that are ignored here.
	for _, x := range []struct {
		part *json.RawMessage
		name string
	}{{c.Admission, "admissionFairSharing"}, {c.Resources, "resources"}} {
		if x.part != nil {
			s.unknown = append(s.unknown, x.name)
		}
	}

	// Fair sharing is on if the Configuration has that part, unless the part switches it off.
	if c.Fair == nil || c.Fair.Enable != nil && !*c.Fair.Enable {
		return s, nil
	}
	strategies, err := c.Fair.strategies()
	if err != nil {
		return nil, err
	}
	s.fair = &tenancy.Fair{SharesAlone: !s.gate("FairSharingPreemptWithinNominal", true), Strategies: strategies}
	return s, nil
}

// protection returns the windows in the form of package tenancy.
func (p *protectionConfig) protection() tenancy.Protection {
	return tenancy.Protection{Within: time.Duration(p.Within.Least), Reclaim: time.Duration(p.Reclaim.Least), FairShare: time.Duration(p.Fair.Least)}
}

// strategies returns the strategies in their order. An unknown one is an error.
func (f *fairConfig) strategies() (out []tenancy.Strategy, err error) {
	for _, name := range f.Strategies {
		strategy := tenancy.Strategy(name)
		if strategy != tenancy.LessThanOrEqualToFinalShare && strategy != tenancy.LessThanInitialShare {
			return nil, fmt.Errorf("fairSharing.preemptionStrategies: there is no strategy %q", name)
		}
		out = append(out, strategy)
	}
	return out, nil
}

// gate reports whether a feature gate is on. otherwise is the default.
func (s *Settings) gate(name string, otherwise bool) bool {
	if on, ok := s.gates[name]; ok {
		return on
	}
	return otherwise
}
