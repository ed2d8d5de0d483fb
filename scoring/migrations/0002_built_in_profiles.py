"""Seeds the three built-in profiles. Applying it again changes nothing that is there.

Reversing it removes them, except those that evaluations were made with: history is never lost.
"""

from django.db import migrations


def _scorer(id, name, type, weight, target="output", **settings):
    return {
        "id": id,
        "name": name,
        "type": type,
        "weight": weight,
        "required": False,
        "passThreshold": 1,
        "target": target,
        "negate": False,
        **settings,
    }


def _keywords(id, name, weight, keywords):
    return _scorer(
        id,
        name,
        "KeywordContains",
        weight,
        "combined",
        keywords=keywords,
        matchMode="any",
        caseSensitive=False,
        partialCredit=False,
    )


def _pattern(id, name, weight, pattern, *, invert):
    return _scorer(
        id,
        name,
        "RegexMatch",
        weight,
        pattern=pattern,
        flags="",
        invert=invert,
        scoreOnMatch=1,
        scoreOnMiss=0,
    )


def _range(id, name, weight, path, low, high):
    return _scorer(id, name, "NumericRange", weight, valuePath=path, min=low, max=high, scoreOnMiss=0)


def _ratio(id, name, weight, needles, *, whole_word=False, invert=False, **divisor):
    return _scorer(
        id,
        name,
        "OccurrenceRatio",
        weight,
        needles=needles,
        caseSensitive=False,
        wholeWord=whole_word,
        minimumDenominator=1,
        invert=invert,
        **divisor,
    )


BUILT_IN = {
    "code-quality": {
        "name": "Code Quality",
        "description": "Does the answer say how it was verified, leave no open tasks, and keep a readable length?",
        "compositeMethod": "weightedAvg",
        "passThreshold": 0.5,
        "scorers": [
            _keywords(
                "mentions-verification",
                "Mentions verification",
                0.35,
                ["test", "tests", "lint", "verified", "validation"],
            ),
            _pattern("avoids-todo", "Leaves no TODO", 0.30, r"\b(?:TODO|FIXME|XXX)\b", invert=True),
            _range("balanced-length", "Balanced length", 0.35, "metadata.outputWordCount", 40, 1200),
        ],
    },
    "task-efficiency": {
        "name": "Task Efficiency",
        "description": "Does the answer say what was done, in few words and without filler?",
        "compositeMethod": "geometricMean",
        "passThreshold": 0.5,
        "scorers": [
            _keywords(
                "action-oriented", "Says what was done", 0.40, ["implemented", "updated", "fixed", "verified", "added"]
            ),
            _range("efficient-size", "Efficient size", 0.35, "metadata.totalWordCount", 20, 900),
            _ratio(
                "limited-filler",
                "Little filler",
                0.25,
                ["just", "really", "very", "basically", "simply"],
                whole_word=True,
                invert=True,
                denominatorPath="metadata.outputWordCount",
                denominatorScale=50,
            ),
        ],
    },
    "convention-compliance": {
        "name": "Convention Compliance",
        "description": "Does the answer follow the house conventions: file references, test status, structure?",
        "compositeMethod": "minimum",
        "passThreshold": 0.5,
        "scorers": [
            _pattern("file-references", "References files", 0.34, r"\[[^\]]+\]\(/[^)]+\)", invert=False),
            _keywords(
                "mentions-test-status",
                "Mentions the test status",
                0.33,
                ["tested", "verification", "not run", "lint", "vitest"],
            ),
            _ratio("has-structure", "Has structure", 0.33, ["\n", "."], denominator=4),
        ],
    },
}


def seed(apps, schema_editor):
    Profile, Version = apps.get_model("scoring", "Profile"), apps.get_model("scoring", "ProfileVersion")
    for id, document in BUILT_IN.items():
        name = document["name"]
        profile, _ = Profile.objects.get_or_create(
            pk=id,
            defaults={"name": name, "name_key": name.casefold(), "built_in": True},
        )
        Version.objects.get_or_create(
            profile=profile,
            number=1,
            defaults={"document": document, "created_by_name": "Plumbline"},
        )


def remove(apps, schema_editor):
    Profile, Version = apps.get_model("scoring", "Profile"), apps.get_model("scoring", "ProfileVersion")
    unused = Profile.objects.filter(pk__in=BUILT_IN, evaluations=None)
    Version.objects.filter(profile__in=list(unused)).delete()
    unused.delete()


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial")]
    operations = [migrations.RunPython(seed, remove)]
