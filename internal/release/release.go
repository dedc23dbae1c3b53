package release

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Release is a release of Kubernetes with its feature gates. The low byte is the minor version. Above it, bit i
// is set if gates[i] is turned, that is, differs from its default. Zero stands for [Default].
type Release uint64

// The releases whose rules are known.
const (
	V1_36 Release = 36
	V1_37 Release = 37
)

// Default is the release that a zero Release stands for. To change the default, only this line has to change.
const Default = V1_37

// releases lists the releases, the oldest first.
var releases = [...]Release{V1_36, V1_37}

// The parts of a Release: the minor version, and above it the bits of the gates.
const (
	minorMask = 0xff
	gateShift = 8
)

// All lists the releases with their default gates, the oldest first.
func All() []Release { return slices.Clone(releases[:]) }

// OrDefault returns r, or [Default] for zero.
func (r Release) OrDefault() Release {
	if r == 0 {
		return Default
	}
	return r
}

// plain returns the release with its default gates.
func (r Release) plain() Release { return r.OrDefault() & minorMask }

// turned reports whether the gate with this index differs from its default.
func (r Release) turned(gate int) bool { return r>>(gateShift+gate)&1 == 1 }

// Known reports whether r is one of [All], possibly with other settings of gates that can be set. Zero is
// known.
func (r Release) Known() bool {
	if !slices.Contains(releases[:], r.plain()) || r>>(gateShift+len(gates)) != 0 {
		return false
	}
	for i := range gates {
		if r.turned(i) && !gates[i].settable(r) {
			return false
		}
	}
	return true
}

// String returns a text such as "v1.37", followed by ",NAME=true" or ",NAME=false" for each gate that is not at its
// default.
func (r Release) String() string {
	if !r.Known() {
		return fmt.Sprintf("release %#x", uint64(r))
	}
	text := "v1." + strconv.Itoa(int(r.plain()))
	for i := range gates {
		if r.turned(i) {
			text += fmt.Sprintf(",%s=%t", gates[i].name, !gates[i].byDefault(r))
		}
	}
	return text
}

// Parse reads the text that String writes. The version may lack its "v". A patch version, a build or a vendor's
// suffix after it is ignored.
func Parse(text string) (Release, error) {
	version, rest, gated := strings.Cut(text, ",")
	r, ok := OfVersion(version)
	if !ok {
		return 0, Unknown(version)
	}

	set := map[string]bool{}
	for gated {
		var one string
		one, rest, gated = strings.Cut(rest, ",")
		name, value, _ := strings.Cut(one, "=")
		if value != "true" && value != "false" {
			return 0, fmt.Errorf("feature gate %.60q: want NAME=true or NAME=false", one)
		}
		if _, twice := set[name]; twice {
			return 0, fmt.Errorf("feature gate %.60q: given twice", name)
		}
		set[name] = value == "true"
	}
	return r.With(set)
}

// Unknown returns the error for a version whose rules are not known.
func Unknown(version string) error {
	return fmt.Errorf("release %.60q: the rules of %s are known", version, known())
}

// known lists the known releases for a message.
func known() string {
	var names []string
	for _, r := range releases {
		names = append(names, r.String())
	}
	return strings.Join(names, " and ")
}

// Minor returns the minor version in a text such as "v1.37.2-vendor.5". ok is false if the text is not a
// version of Kubernetes 1.
func Minor(version string) (minor int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(version, "v"), "1.")
	if !ok {
		return 0, false
	}

	// A minor version has up to three digits without leading zeros. It ends the text, or a patch, a suffix or a
	// build follows.
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 || digits > 3 || digits > 1 && rest[0] == '0' || digits < len(rest) && !strings.Contains(".-+", rest[digits:digits+1]) {
		return 0, false
	}
	minor, err := strconv.Atoi(rest[:digits])
	return minor, err == nil
}

// Nearest returns the known release that is nearest to a minor version.
func Nearest(minor int) Release {
	return Release(min(max(minor, int(releases[0])), int(releases[len(releases)-1])))
}

// OfVersion returns the release of a version. The result is false if its rules are not known.
func OfVersion(version string) (Release, bool) {
	minor, ok := Minor(version)
	if !ok || !slices.Contains(releases[:], Release(minor)) {
		return 0, false
	}
	return Release(minor), true
}
