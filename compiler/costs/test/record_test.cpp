// Records as lines of text.
#include "compiler/costs/record.h"

#include <gtest/gtest.h>

#include "compiler/costs/test/record_for_test.h"

namespace tessera::costs {
namespace {

TEST(Record, GoesThroughTextExactly) {
  Record record = recordOf("add", {1.0 / 3, 5e-324, 0, 1e9});
  record.reason = "a \"quote\", a line\nand \xC3\xA9";
  record.plan = "{\"plan\": 1}\n";
  record.outcome = Outcome::kWrong;
  const auto back = fromJson(toJson(record));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->key, record.key);
  EXPECT_EQ(back->samples, record.samples);
  EXPECT_EQ(back->reason, record.reason);
  EXPECT_EQ(back->plan, record.plan);
  EXPECT_EQ(digestOf(*back), digestOf(record));
  EXPECT_EQ(toJson(record).find('\n'), std::string::npos);
}

TEST(Record, DigestsTellRecordsApart) {
  const Record record = recordOf("add", {1});
  Record other = record;
  other.date += 1;
  EXPECT_NE(digestOf(other), digestOf(record));
  other = record;
  other.samples.push_back(1);
  EXPECT_NE(digestOf(other), digestOf(record));
}

TEST(Record, OutcomesHaveNames) {
  for (const Outcome outcome : {Outcome::kOk, Outcome::kDeclined, Outcome::kFailed,
                                Outcome::kCrashed, Outcome::kTimedOut, Outcome::kWrong})
    EXPECT_EQ(*parseOutcome(outcomeName(outcome)), outcome);
  EXPECT_EQ(parseOutcome("good").error().message,
            "found outcome 'good', expected ok, declined, failed, crashed, timed_out or wrong");
}

TEST(Record, UnknownFieldsAreIgnored) {
  std::string text = toJson(recordOf("add", {1}));
  text.insert(1, "\"joules\":[1,2],");
  EXPECT_TRUE(fromJson(text));
}

struct BadLine {
  const char* from;
  const char* to;
  const char* message;
};

class BadLineTest : public testing::TestWithParam<BadLine> {};

TEST_P(BadLineTest, IsRefused) {
  std::string text = toJson(recordOf("add", {1}));
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  const auto record = fromJson(text);
  ASSERT_FALSE(record) << text;
  EXPECT_EQ(record.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLineTest,
    testing::Values(
        BadLine{"{", "[", "it is no JSON object"},
        BadLine{"\"subgraph\"", "\"graph\"", "field 'subgraph', expected a text"},
        BadLine{"\"target\":\"", "\"target\":1,\"x\":\"", "field 'target', expected a text"},
        BadLine{"\"threads\":2", "\"threads\":-2", "field 'threads', expected a whole number"},
        BadLine{"\"threads\":2", "\"threads\":4294967296",
                "field 'threads', expected a whole number"},
        BadLine{"\"date\":1000", "\"date\":9223372036854775808",
                "field 'date', expected a whole number"},
        BadLine{"\"samples\":[1.0]", "\"samples\":[-1.0]",
                "field 'samples', expected a list of seconds"},
        BadLine{"\"samples\":[1.0]", "\"samples\":1",
                "field 'samples', expected a list of seconds"},
        BadLine{"\"first_call\":0.0", "\"first_call\":null",
                "field 'first_call', expected seconds"},
        BadLine{"\"ok\"", "\"fine\"",
                "found outcome 'fine', expected ok, declined, failed, crashed, "
                "timed_out or wrong"}));

}  // namespace
}  // namespace tessera::costs
