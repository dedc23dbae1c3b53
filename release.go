package outrank

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/release"
)

// Release is a release of Kubernetes whose rules hold, with the feature gates
// that are not at their default. It is a plain value to be compared with ==: two
// releases are equal if they stand for the same rules, except that zero also stands
// for [DefaultRelease]. .github/RELEASES.md lists what changed between releases.
type Release uint64

// The releases whose rules are known, with their default gates.
const (
	V1_36 = Release(release.V1_36)
	V1_37 = Release(release.V1_37)
)

// DefaultRelease is the release that zero stands for.
const DefaultRelease = Release(release.Default)

// Releases lists the releases whose rules are known, the oldest first.
func Releases() []Release {
	var list []Release
	for _, r := range release.All() {
		list = append(list, Release(r))
	}
	return list
}

// ParseRelease reads a release as [Release.String] writes it: "v1.37", or
// "v1.37,VolumeLimitScaling=false" with feature gates. A version may lack the "v" and
// go on with a patch or a vendor's suffix ("1.37.2-vendor.5"), which mean nothing
// here. The error names the version whose rules are not known, or the gate; see
// [Release.With].
func ParseRelease(text string) (Release, error) {
	r, err := release.Parse(text)
	return Release(r), wrapInvalid(err)
}

// With returns the release with feature gates set by their names in Kubernetes.
// Setting a gate to its default changes nothing. The error wraps [ErrInvalid] and
// names the first gate, by name, that is not known, that the release does not
// have, or whose setting is not followed here.
func (r Release) With(gates map[string]bool) (Release, error) {
	with, err := release.Release(r).With(gates)
	return Release(with), wrapInvalid(err)
}

// wrapInvalid returns an error that wraps both ErrInvalid and err, nil for nil.
func wrapInvalid(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrInvalid, err)
}

// Gates returns the state of every feature gate of the release that bears on preemption.
// The map is the caller's. Not all of them can be changed; see [Release.With].
func (r Release) Gates() map[string]bool { return release.Release(r).OrDefault().GateStates() }

// OrDefault returns r, or [DefaultRelease] for zero.
func (r Release) OrDefault() Release { return Release(release.Release(r).OrDefault()) }

// Known reports whether r is zero or one of [Releases], with gates that can be
// set there. This package returns no other value.
func (r Release) Known() bool { return release.Release(r).Known() }

// String returns the version and the gates that are not at their default, as in
// "v1.37,VolumeLimitScaling=false".
func (r Release) String() string { return release.Release(r).String() }

// MarshalText returns what String does; an unknown release is an error.
func (r Release) MarshalText() ([]byte, error) {
	if !r.Known() {
		return nil, fmt.Errorf("%w: %v is not known", ErrInvalid, r)
	}
	return []byte(r.String()), nil
}

// UnmarshalText is [ParseRelease].
func (r *Release) UnmarshalText(text []byte) error {
	read, err := ParseRelease(string(text))
	if err == nil {
		*r = read
	}
	return err
}

// rules returns the release's rules.
func (r Release) rules() release.Rules { return release.Of(release.Release(r)) }
