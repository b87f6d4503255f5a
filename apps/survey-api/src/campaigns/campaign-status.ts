export const CAMPAIGN_STATUSES = ['draft', 'active', 'inactive', 'deleted'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];
