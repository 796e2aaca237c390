package link

import (
	"testing"

	"github.com/culink/culink/linker/arch"
)

func TestEveryToolkitHasTheRulesOfTheNewestReleaseThatIsNotNewer(t *testing.T) {
	for word, since := range map[int]int{111: 0, 124: 0, 129: 0, 130: 130, 135: 130} {
		if got := rulesOf(word).since; got != since {
			t.Errorf("toolkit %d has the rules since %d, not since %d", word, got, since)
		}
	}
}

func TestReleasesStandInOrder(t *testing.T) {
	for i := range releases[1:] {
		if releases[i].since >= releases[i+1].since {
			t.Errorf("row %d (since %d) stands before row %d (since %d)", i, releases[i].since, i+1, releases[i+1].since)
		}
	}
	for _, tool := range arch.Toolkits() {
		if row := rulesOf(tool.Word); row.stubsShareInfo != (tool.ABI == 8) {
			t.Errorf("%s writes ABI %d, but has the rules since %d", tool.Name, tool.ABI, row.since)
		}
	}
}
