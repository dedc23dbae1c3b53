package kueue

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
)

// Settings are those of Kueue's own Configuration that its decisions depend on.
type Settings struct {
	fair       *tenancy.Fair
	protection tenancy.Protection
	// gates are the feature gates that the Configuration sets; nil without one.
	gates map[string]bool
	given bool
	// unknown are parts that change decisions and are not looked at.
	unknown []string
}

// duration is a time as Kubernetes writes it, such as 1h30m.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

type window struct {
	Least duration `json:"minAdmitDuration"`
}

// ReadSettings reads a Configuration of Kueue, in JSON or YAML.
func ReadSettings(r io.Reader) (*Settings, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, err
	}

	// Kueue's own names. Of the parts that are raw only the presence is read.
	var c struct {
		Kind string `json:"kind"`
		Fair *struct {
			Enable     *bool    `json:"enable"`
			Strategies []string `json:"preemptionStrategies"`
		} `json:"fairSharing"`
		Protection struct {
			Within  window `json:"withinClusterQueue"`
			Fair    window `json:"fairSharing"`
			Reclaim window `json:"reclaimWithinCohort"`
		} `json:"preemptionProtection"`
		Gates     map[string]bool  `json:"featureGates"`
		Admission *json.RawMessage `json:"admissionFairSharing"`
		Resources *json.RawMessage `json:"resources"`
	}
	if err := json.NewDecoder(text).Decode(&c); err != nil {
		return nil, fmt.Errorf("this is no Configuration of Kueue: %w", err)
	}
	if c.Kind != "Configuration" {
		return nil, fmt.Errorf("kind: %q where Configuration is wanted", c.Kind)
	}

	s := &Settings{gates: c.Gates, given: true}
	s.protection = tenancy.Protection{Within: time.Duration(c.Protection.Within.Least), Reclaim: time.Duration(c.Protection.Reclaim.Least), FairShare: time.Duration(c.Protection.Fair.Least)}

	// What is not followed is told, wherever it stands.
	for _, x := range []struct {
		part *json.RawMessage
		name string
	}{{c.Admission, "admissionFairSharing"}, {c.Resources, "resources"}} {
		if x.part != nil {
			s.unknown = append(s.unknown, x.name)
		}
	}

	// Fair sharing is on where it is named, unless it is switched off there.
	if c.Fair == nil || c.Fair.Enable != nil && !*c.Fair.Enable {
		return s, nil
	}
	s.fair = &tenancy.Fair{SharesAlone: !s.gate("FairSharingPreemptWithinNominal", true)}
	for _, name := range c.Fair.Strategies {
		strategy := tenancy.Strategy(name)
		if strategy != tenancy.LessThanOrEqualToFinalShare && strategy != tenancy.LessThanInitialShare {
			return nil, fmt.Errorf("fairSharing.preemptionStrategies: there is no strategy %q", name)
		}
		s.fair.Strategies = append(s.fair.Strategies, strategy)
	}
	return s, nil
}

// gate reports whether a feature gate is on.
func (s *Settings) gate(name string, otherwise bool) bool {
	if on, ok := s.gates[name]; ok {
		return on
	}
	return otherwise
}
